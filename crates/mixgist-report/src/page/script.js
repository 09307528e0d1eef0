"use strict";
// Without this script the page is complete; it adds a switch between summaries and the probabilities of observations.
(() => {
  const articles = [...document.querySelectorAll("main > article")];

  function show(chosen) {
    articles.forEach((article, i) => { article.hidden = i !== chosen; });
    document.querySelectorAll("nav button").forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === chosen));
    });
    hide();
  }

  function addSwitch() {
    const nav = document.createElement("nav");
    nav.setAttribute("aria-label", "Summaries");
    articles.forEach((article, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = article.dataset.name;
      button.addEventListener("click", () => show(i));
      nav.append(button);
    });
    document.querySelector("header").after(nav);
    const named = articles.findIndex(article => location.hash.startsWith("#" + article.id));
    show(Math.max(named, 0));
  }

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  let spots = [];

  function hide() {
    tip.hidden = true;
    spots.forEach(spot => spot.remove());
    spots = [];
  }

  // The points of a panel: where its paths begin anew, in the order of the lists of members.
  function pointsOf(panel, members) {
    const points = [];
    for (const path of panel.querySelectorAll("path[data-group]")) {
      const list = members[path.dataset.group] || [];
      let i = 0;
      for (const [, x, y] of path.getAttribute("d").matchAll(/M(-?[\d.]+) ?(-?[\d.]+)/g)) {
        if (4 * i + 3 < list.length) {
          points.push({ x: +x, y: +y, group: path.dataset.group, at: 4 * i, list });
        }
        i += 1;
      }
    }
    return points;
  }

  const percent = thousandths => (thousandths / 10).toFixed(1) + " %";

  function describe(point) {
    const [row, own, second, other] = point.list.slice(point.at, point.at + 4);
    const lines = [`observation ${row}`, `atom ${point.group}: ${percent(own)}`];
    if (other > 0) lines.push(`atom ${second}: ${percent(other)}`);
    return lines;
  }

  function mark(panels, index) {
    hide();
    for (const panel of panels) {
      const point = panel.points[index];
      if (!point) continue;
      const spot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      spot.setAttribute("class", "spot");
      spot.setAttribute("cx", point.x);
      spot.setAttribute("cy", point.y);
      spot.setAttribute("r", 6);
      panel.element.append(spot);
      spots.push(spot);
    }
  }

  function tell(panels, panel, index) {
    const point = panel.points[index];
    mark(panels, index);
    tip.replaceChildren(...describe(point).flatMap((line, i) => i ? [document.createElement("br"), line] : [line]));
    tip.hidden = false;
    const box = spots[panels.indexOf(panel)].getBoundingClientRect();
    const left = Math.min(box.right + 8, document.documentElement.clientWidth - tip.offsetWidth - 4);
    tip.style.left = Math.max(left, 4) + scrollX + "px";
    tip.style.top = box.bottom + 6 + scrollY + "px";
  }

  function nearest(panel, event) {
    const matrix = panel.element.querySelector("path[data-group]").getScreenCTM();
    if (!matrix) return -1;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let best = -1, least = 144;
    panel.points.forEach((point, i) => {
      const gap = (point.x - at.x) ** 2 + (point.y - at.y) ** 2;
      if (gap < least) [best, least] = [i, gap];
    });
    return best;
  }

  function listen(drawing, members) {
    const panels = [...drawing.querySelectorAll("svg svg")]
      .map(element => ({ element, points: pointsOf(element, members) }))
      .filter(panel => panel.points.length > 0);
    if (panels.length === 0) return;
    for (const panel of panels) {
      const point = event => {
        const index = nearest(panel, event);
        if (index < 0) hide(); else tell(panels, panel, index);
      };
      panel.element.addEventListener("pointermove", point);
      panel.element.addEventListener("pointerdown", point);
      panel.element.addEventListener("pointerleave", hide);
    }
    // With the keyboard: arrows go from observation to observation.
    let current = -1;
    drawing.tabIndex = 0;
    drawing.setAttribute("aria-label", "Figure; arrow keys go through the observations");
    drawing.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) { if (event.key === "Escape") hide(); return; }
      event.preventDefault();
      const count = panels[0].points.length;
      current = (current + step + count) % count;
      tell(panels, panels[0], current);
    });
    drawing.addEventListener("blur", hide);
  }

  if (articles.length > 1) addSwitch();
  const members = JSON.parse(document.getElementById("memberships").textContent);
  articles.forEach((article, i) => {
    article.querySelectorAll(".drawing").forEach(drawing => listen(drawing, members[i]));
  });
})();
