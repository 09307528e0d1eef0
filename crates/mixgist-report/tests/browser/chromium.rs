//! A headless Chromium, driven by its DevTools protocol over a web socket.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A browser that ends with this value.
pub struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    next: u64,
    _profile: tempfile::TempDir,
}

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
];

impl Browser {
    /// Starts it; `None` when there is none on this machine.
    pub fn start() -> Option<Browser> {
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let name = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".into());
        let mut process = Command::new(name)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let output = process.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(output).lines();
        let prefix = "DevTools listening on ";
        let address = lines.find_map(|line| line.ok()?.strip_prefix(prefix).map(str::to_owned));
        // What it says later must be read, or it would wait for its reader.
        std::thread::spawn(move || lines.for_each(drop));
        let address = address.expect("chromium ended before it listened");
        let (socket, _) = tungstenite::connect(&address).expect("chromium listens");
        Some(Browser { process, socket, next: 0, _profile: profile })
    }

    /// Opens a page and waits until it is loaded.
    pub fn open(&mut self, url: &str) -> Tab<'_> {
        let mut tab = Tab { browser: self, session: None, events: Vec::new() };
        let target = tab.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = tab.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        tab.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.call("Page.navigate", json!({"url": url}));
        tab.wait_for("Page.loadEventFired");
        tab
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page in the browser.
pub struct Tab<'a> {
    browser: &'a mut Browser,
    session: Option<String>,
    events: Vec<Value>,
}

impl Tab<'_> {
    /// Calls a method of the protocol and gives its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.browser.next += 1;
        let id = self.browser.next;
        let mut request = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        self.browser.socket.send(Message::text(request.to_string())).expect("chromium takes requests");
        loop {
            let message = self.read();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let result = self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Exceptions and errors on the console so far.
    pub fn problems(&self) -> Vec<String> {
        let is_problem = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            Some("Runtime.consoleAPICalled") => event["params"]["type"] == "error",
            Some("Page.javascriptDialogOpening") => true,
            _ => false,
        };
        self.events.iter().filter(is_problem).map(Value::to_string).collect()
    }

    /// What was asked for over the network or from the disk.
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or("").to_owned()).collect()
    }

    fn wait_for(&mut self, method: &str) {
        while !self.events.iter().any(|event| event["method"] == method) {
            let message = self.read();
            self.events.push(message);
        }
    }

    fn read(&mut self) -> Value {
        loop {
            let message = self.browser.socket.read().expect("chromium answers");
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).expect("the protocol is JSON");
            }
        }
    }
}
