// A picture that is replaced in one step: the old one stands until the new one is ready to take its place.

const ALLOWED = new Set(
  "svg g defs clipPath pattern path use text tspan rect line polyline polygon circle ellipse image linearGradient stop title desc".split(" "),
);
const XLINK = "http://www.w3.org/1999/xlink";
let views = 0;

// Keep what draws; a picture brings no scripts, no styles for the page around it, and no address of another host.
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

// Names inside a picture hold for the whole page: each view gets its own.
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

// JupyterLab, Notebook and Voila say it on the body; others by the class of their editor.
function isDark() {
  const said = document.body.dataset.jpThemeLight;
  return said ? said === "false" : document.body.matches(".vscode-dark, .vscode-high-contrast, .theme-dark");
}

function render({ model, el }) {
  const mark = `svc${++views}`;
  const frame = document.createElement("div");
  frame.className = "svc-picture";
  frame.setAttribute("role", "img");
  el.append(frame);

  function show() {
    const svg = model.get("svg") ? parse(model.get("svg"), mark) : null;
    frame.replaceChildren(...(svg ? [svg] : []));
    frame.setAttribute("aria-label", model.get("alt"));
  }
  const wait = () => frame.classList.toggle("svc-busy", model.get("busy"));
  const tell = () => {
    const dark = isDark();
    frame.classList.toggle("svc-dark", dark);
    if (dark === model.get("dark")) return;
    model.set("dark", dark);
    model.save_changes();
  };
  model.on("change:svg", show);
  model.on("change:busy", wait);
  show();
  wait();
  tell();
  const themes = new MutationObserver(tell);
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });

  // The picture is drawn for the room there is, so that its letters have their own size; small changes do not count.
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
    themes.disconnect();
    model.off("change:svg", show);
    model.off("change:busy", wait);
  };
}

export default { render };
