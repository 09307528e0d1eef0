//! Code of others that may panic on hostile input, run so that nobody sees it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// What `job` returns, or `None` if it panics; the panic leaves no text on standard error.
pub(crate) fn caught<T>(job: impl FnOnce() -> T) -> Option<T> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !CATCHING.get() {
                others(panic);
            }
        }));
    });
    let before = CATCHING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(job));
    CATCHING.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hooks are those of a whole process, so the panics happen in one of their own.
    #[test]
    fn only_what_is_caught_is_silent() {
        let this = std::env::current_exe().unwrap();
        let child = ["--exact", "caught::tests::in_a_process_of_its_own", "--ignored", "--nocapture"];
        let output = std::process::Command::new(this).args(child).output().unwrap();
        let heard = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{heard}");
        assert!(heard.contains("said aloud") && !heard.contains("kept quiet"), "{heard}");
    }

    #[test]
    #[ignore = "run by the test above"]
    fn in_a_process_of_its_own() {
        assert_eq!(caught(|| 3), Some(3));
        assert_eq!(caught(|| -> i32 { panic!("kept quiet") }), None);
        assert!(catch_unwind(|| panic!("said aloud")).is_err());
    }
}
