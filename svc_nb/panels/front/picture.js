// A picture that is replaced in one step: the old one stays until the new one is ready.

const ALLOWED = new Set(
  "svg g defs clipPath pattern path use text tspan rect line polyline polygon circle ellipse image linearGradient stop title desc".split(" "),
);
const XLINK = "http://www.w3.org/1999/xlink";

// Keep only drawing elements: no scripts, no styles for the page, and no addresses of other hosts.
function clean(node) {
  for (const child of [...node.children]) {
    if (ALLOWED.has(child.localName)) clean(child);
    else child.remove();
  }
  for (const { name, value } of [...node.attributes]) {
    const points = name === "href" || name === "xlink:href";
    if (/^on/i.test(name) || (points && !/^(#|data:image\/png;base64,)/.test(value))) node.removeAttribute(name);
  }
}

// Ids inside a picture are global on the page, so each view gets its own.
function rename(svg, mark) {
  for (const node of svg.querySelectorAll("[id]")) node.id = `${mark}-${node.id}`;
  for (const name of ["clip-path", "style"])
    for (const node of svg.querySelectorAll(`[${name}*="url(#"]`))
      node.setAttribute(name, node.getAttribute(name).replaceAll("url(#", `url(#${mark}-`));
  for (const node of svg.querySelectorAll("use")) {
    const target = node.getAttributeNS(XLINK, "href") || node.getAttribute("href") || "";
    node.removeAttributeNS(XLINK, "href");
    if (target.startsWith("#")) node.setAttribute("href", `#${mark}-${target.slice(1)}`);
  }
}

function parse(text, mark) {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (svg.nodeName !== "svg") return null;
  clean(svg);
  rename(svg, mark);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("aria-hidden", "true");
  return document.importNode(svg, true);
}

// The bar at a pointer: the one under it, or the nearest one above or below it in the same column.
const REACH = 14;
function spotAt(spots, x, y, height) {
  let [nearest, least] = [null, REACH / height];
  for (const spot of spots) {
    if (x < spot[0] || x > spot[2]) continue;
    const away = Math.max(spot[1] - y, y - spot[3], 0);
    if (away < least || (away === 0 && least === 0)) [nearest, least] = [spot, away];
  }
  return nearest;
}

// Day, key and figures of the bar under the pointer; the table beside it has the same for keyboard users.
function watchPointer(model, frame) {
  const tip = make("div", "svc-tip");
  const [head, words] = [make("div", "svc-tip-head"), make("div", "svc-tip-words")];
  tip.append(head, words);
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  const hide = () => (tip.hidden = true);
  const move = ({ clientX, clientY }) => {
    const svg = frame.querySelector("svg");
    const box = svg?.getBoundingClientRect();
    const spot = box?.width && spotAt(model.get("spots"), (clientX - box.left) / box.width, (clientY - box.top) / box.height, box.height);
    if (!spot) return hide();
    head.textContent = spot[4];
    words.textContent = spot[5];
    tip.hidden = false;
    const [left, top] = [clientX - box.left, clientY - box.top];
    tip.style.left = `${Math.max(0, Math.min(left + 12, box.width - tip.offsetWidth))}px`;
    tip.style.top = `${top > tip.offsetHeight + 16 ? top - tip.offsetHeight - 10 : top + 18}px`;
  };
  frame.addEventListener("pointermove", move);
  frame.addEventListener("pointerdown", move);
  frame.addEventListener("pointerleave", hide);
  model.on("change:svg", hide);
  return { tip, end: () => model.off("change:svg", hide) };
}

// A button for each key of the chart: pressed while it is shown.
function showLegend(model, list) {
  const hidden = new Set(model.get("hidden"));
  const entries = model.get("legend");
  const names = entries.map(({ name }) => name);
  list.hidden = !entries.length;
  const before = [...list.children];
  if (before.length !== names.length || before.some((node, at) => node.svcName !== names[at])) {
    const focused = before.find((node) => node === list.getRootNode().activeElement)?.svcName;
    list.replaceChildren(...entries.map((entry) => newEntry(model, entry)));
    [...list.children].find((node) => node.svcName === focused)?.focus();
  }
  [...list.children].forEach((node, at) => {
    const { name, slot, of } = entries[at];
    node.firstChild.className = `svc-swatch ${slot < 0 ? "svc-key-rest" : `svc-key-${slot}`}`;
    node.setAttribute("aria-pressed", String(!hidden.has(name)));
    const whom = of?.length ? `${name}: ${of.join(", ")}` : name;
    node.title = `${hidden.has(name) ? "Show" : "Hide"} ${whom} in the chart; Alt-click or double-click: only this`;
  });
}

function newEntry(model, { name }) {
  const node = make("button", "svc-legend-entry");
  node.type = "button";
  node.svcName = name;
  node.append(make("span", "svc-swatch"), make("span", "svc-legend-name", name));
  const hide = (names) => {
    model.set("hidden", names);
    model.save_changes();
    showLegend(model, node.parentNode);
  };
  // Show only this one or, if it is already the only one, all of them.
  const only = () => {
    const others = model.get("legend").map((entry) => entry.name).filter((each) => each !== name);
    const hidden = new Set(model.get("hidden"));
    hide(!hidden.has(name) && others.every((each) => hidden.has(each)) ? [] : others);
  };
  let before;
  node.addEventListener("click", (event) => {
    if (event.detail === 2) {
      model.set("hidden", before); // as before the first click of the two
      return only();
    }
    before = model.get("hidden");
    if (event.altKey) return only();
    const hidden = new Set(before);
    if (!hidden.delete(name)) hidden.add(name);
    hide([...hidden]);
  });
  node.addEventListener("keydown", (event) => {
    if (event.altKey && event.key === "Enter") {
      event.preventDefault();
      only();
    }
  });
  const point = (at) => model.emit("point", at);
  for (const name_ of ["pointerenter", "focus"]) node.addEventListener(name_, () => point(name));
  for (const name_ of ["pointerleave", "blur"]) node.addEventListener(name_, () => point(null));
  return node;
}

function render({ model, el }) {
  const mark = unique("picture");
  const frame = document.createElement("div");
  frame.className = "svc-picture";
  const list = make("div", "svc-legend");
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "Shown in the chart");
  const { tip, end } = watchPointer(model, frame);
  const place = make("div", "svc-picture-place");
  place.append(frame, tip);
  el.append(place, list);
  const legend = () => showLegend(model, list);

  function show() {
    const svg = model.get("svg") ? parse(model.get("svg"), mark) : null;
    frame.replaceChildren(...(svg ? [svg] : []));
    frame.role = svg ? "img" : null;
    frame.ariaLabel = svg ? model.get("alt") : null;
    point(pointed);
  }
  // The bars of a name are the shapes with its colour; the others fade while the pointer is on it.
  let pointed = null;
  function point(name) {
    pointed = name;
    const bars = [...frame.querySelectorAll("[id*='-svc-bars-']")];
    const order = model.get("legend").filter((entry) => !model.get("hidden").includes(entry.name));
    const own = order.findIndex((entry) => entry.name === name);
    bars.forEach((node) => (node.style.opacity = own < 0 || node.id.endsWith(`-svc-bars-${own}`) ? "" : "0.2"));
  }
  model.on("point", point);
  const wait = () => frame.classList.toggle("svc-busy", model.get("busy"));
  const tell = () => {
    const dark = isDark();
    for (const node of [frame, list]) node.classList.toggle("svc-dark", dark);
    if (dark === model.get("dark")) return;
    model.set("dark", dark);
    model.save_changes();
  };
  model.on("change:svg", show);
  model.on("change:busy", wait);
  model.on("change:legend change:hidden", legend);
  show();
  legend();
  wait();
  const unfollow = followTheme(tell);

  // The picture is drawn for the available width, so that its text keeps its size; small changes are ignored.
  let timer;
  const watch = new ResizeObserver(([entry]) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const width = Math.floor(entry.contentRect.width);
      if (width < 50 || Math.abs(width - model.get("width")) < 16) return;
      model.set("width", width);
      model.save_changes();
    }, 150);
  });
  watch.observe(frame);
  return () => {
    clearTimeout(timer);
    watch.disconnect();
    unfollow();
    model.off("change:svg", show);
    model.off("change:busy", wait);
    model.off("point", point);
    model.off("change:legend change:hidden", legend);
    end();
  };
}

export default { render };
