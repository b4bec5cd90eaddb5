// A panel on the page: its parts, the state of the kernel, the account, and where the focus is.

const FOCUSABLE = "button, input, select, textarea, summary, [tabindex]";
const REPLACED = "The field you were typing in was replaced. Copy your text and paste it where it belongs.";
const GONE = "Run the notebook again from the top to continue.";

function isReachable(node) {
  if (!node?.isConnected || node.disabled || node.closest("[hidden], [inert]")) return false;
  return node.getClientRects().length > 0;
}

function focusElsewhere(el) {
  const active = focused();
  return Boolean(active?.closest?.(".svc-root") && isReachable(active) && !el.contains(active));
}

// The elements around *node* in its panel, from the inside out.
function ancestors(node) {
  const found = [];
  for (let place = node.parentElement; place?.closest(".svc-root"); place = place.parentElement) found.push(place);
  return found;
}

// Return the focus to *node*, even to a button that is disabled now; returns whether it has the focus.
function refocus(node) {
  const lifted = node.disabled && node.getAttribute("aria-disabled") === "true";
  if (lifted) node.disabled = false;
  if (isReachable(node)) node.focus({ preventScroll: true });
  else if (lifted) node.disabled = true;
  return focused() === node;
}

function drawer(connection) {
  function draw(id) {
    const model = connection.parts.get(id);
    const front = CONTROLS[model.front] || FRONTS[model.front];
    const el = document.createElement(front.tag || "div");
    el.classList.add("svc-part");
    let own = [];
    const look = follow(model, "classes layout", () => {
      const { display, width } = model.get("layout");
      el.classList.remove(...own);
      own = model.get("classes");
      el.classList.add(...own);
      el.hidden = display === "none";
      el.style.width = width && width !== "auto" ? width : "";
    });
    const focus = () => setTimeout(() => isFocusFree(el) && (el.matches(FOCUSABLE) ? el : el.querySelector(FOCUSABLE))?.focus());
    model.on("focus", focus);
    if (!model.drawn) front.initialize?.({ model });
    model.drawn = true;
    const end = front.render({ model, el, draw }) || (() => {});
    return { el, end: ends(look, end, () => model.off("focus", focus), () => el.remove()) };
  }
  return draw;
}

// If the focused element is gone, hidden or disabled now, the focus goes to the nearest one.
function keepFocus(root) {
  let last = null;
  let around = [];
  const entered = ({ target }) => {
    last = target;
    around = ancestors(target);
  };
  const left = (event) => {
    if (!event.composedPath().includes(root)) last = null;
  };
  const care = () => {
    const active = focused();
    const elsewhere = active && active !== document.body && active !== last; // what was hidden has it until the next frame
    if (!last || elsewhere || isReachable(last)) return;
    // From a closed question, the focus returns to where it was.
    const was = last.closest(".svc-question")?.back || { node: last, around };
    if (was.node !== last && refocus(was.node)) return;
    let from = was.node.isConnected ? was.node : null;
    for (const place of was.around) {
      if (!place.isConnected || place.closest("[hidden]")) continue;
      const all = [...place.querySelectorAll(FOCUSABLE)].filter((node) => node.tabIndex >= 0 && isReachable(node));
      const after = all.find((node) => from?.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
      const target = after || all.at(-1);
      if (target) return target.focus({ preventScroll: true });
      from ??= place; // the position of a removed element is unknown, so use what comes after all of it
    }
    root.focus({ preventScroll: true });
  };
  root.tabIndex = -1;
  root.addEventListener("focusin", entered);
  document.addEventListener("pointerdown", left, true);
  document.addEventListener("focusin", left, true);
  return {
    care,
    end: () => {
      document.removeEventListener("pointerdown", left, true);
      document.removeEventListener("focusin", left, true);
    },
  };
}

const FORCED = matchMedia("(forced-colors: active)");
const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");
const DARK = ".dark, .dark-theme, .theme-dark, .vscode-dark, .vscode-high-contrast:not(.vscode-high-contrast-light), [data-theme=dark]";

// Forced colours are reported by the system; JupyterLab, Notebook and Voila set the theme on the body, others by a
// class.
function isDark() {
  const { body, documentElement: page } = document;
  const said = body.dataset.jpThemeLight;
  if (FORCED.matches) return PREFERS_DARK.matches;
  return said ? said === "false" : body.matches(DARK) || page.matches(DARK);
}

// Call *look* now and whenever the theme changes; returns a function that ends this.
function followTheme(look) {
  const watch = new MutationObserver(look);
  for (const node of [document.body, document.documentElement])
    watch.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-jp-theme-light"] });
  for (const query of [FORCED, PREFERS_DARK]) query.addEventListener("change", look);
  look();
  return () => {
    watch.disconnect();
    for (const query of [FORCED, PREFERS_DARK]) query.removeEventListener("change", look);
  };
}

// The colours of JupyterLab if available; otherwise those of VS Code, or our own on our own background.
function dress(root) {
  return followTheme(() => {
    const { body, documentElement: page } = document;
    const jupyter = getComputedStyle(body).getPropertyValue("--jp-layout-color1");
    const code = getComputedStyle(page).getPropertyValue("--vscode-editor-background") || body.className.includes("vscode-");
    root.classList.toggle("svc-of-code", Boolean(!jupyter && code));
    root.classList.toggle("svc-of-none", !jupyter && !code);
    root.classList.toggle("svc-dark", isDark());
  });
}

const EDITS = new Set("acxvd");
const OURS = new Set(
  ["z", "y", " ", "-", "Enter", "Home", "End", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Backspace", "Delete"],
);

// A key is for the focused control of a panel. With Ctrl or Cmd it may be a shortcut of the host, such as saving.
function isForHost({ key, ctrlKey, metaKey, shiftKey }) {
  const name = key.length === 1 ? key.toLowerCase() : key;
  return (ctrlKey || metaKey) && !OURS.has(name) && (shiftKey || !EDITS.has(name));
}

// A host may handle keys before any listener of the panel, except one on the window.
function keepKey(event) {
  const [target] = event.composedPath();
  if (!target?.closest?.(".svc-root")) return;
  if (isForHost(event)) delete target.dataset.lmSuppressShortcuts;
  else target.dataset.lmSuppressShortcuts = "true";
}

function listenOnce() {
  const page = document.documentElement;
  if (!page.dataset.svcKeepsKeys) window.addEventListener("keydown", keepKey, true);
  page.dataset.svcKeepsKeys = "true";
}

function render({ model, el }) {
  const connection = connectionOf(model);
  const root = make("div", "svc-root tex2jax_ignore mathjax_ignore");
  const top = make("div", "svc-top");
  const waits = make("span", "svc-waits");
  const account = make("span", "svc-account");
  const banner = make("div", "svc-banner");
  const body = make("div", "svc-body");
  waits.setAttribute("role", "status");
  banner.setAttribute("role", "alert");
  banner.hidden = true;
  const dismiss = make("button", "svc-button", "Dismiss");
  dismiss.addEventListener("click", () => connection.dismiss());
  top.append(waits, account);
  root.append(top, banner, body);
  el.append(root);
  const child = drawer(connection)(model.get("tree").top);
  body.append(child.el);
  const focus = keepFocus(root);
  const undress = dress(root);
  listenOnce();
  root.addEventListener("keydown", (event) => isForHost(event) || event.stopPropagation());
  for (const name of ["keypress", "keyup", "copy", "cut", "paste"])
    root.addEventListener(name, (event) => event.stopPropagation());

  function tellLoss() {
    const { gone, unsaved } = connection;
    const kept = model.get("kept");
    banner.hidden = !gone && !unsaved.length;
    if (banner.hidden) return;
    const words = make("div", "", gone ? [gone, GONE, kept].filter(Boolean).join(" ") : REPLACED);
    const list = make("ul");
    list.append(...unsaved.map((text) => make("li", "", text)));
    const parts = unsaved.length ? [words, make("div", "", "Not saved:"), list] : [words];
    if (!gone) parts.push(dismiss);
    if (banner.textContent !== parts.map((node) => node.textContent).join("")) banner.replaceChildren(...parts);
    body.inert = Boolean(gone);
    root.classList.toggle("svc-gone", Boolean(gone));
  }
  const view = {
    follow() {
      const said = !connection.gone && connection.waits ? "Waiting for the kernel …" : "";
      if (waits.textContent !== said) waits.textContent = said; // otherwise it is read out again
      name();
      tellLoss();
      setTimeout(focus.care);
    },
  };
  function name() {
    account.textContent = model.get("account");
    top.hidden = !model.get("account") && !waits.textContent;
  }
  connection.views.add(view);
  model.on("change:account", name);
  model.on("change:kept", view.follow);
  view.follow();
  return () => {
    connection.views.delete(view);
    model.off("change:account", name);
    model.off("change:kept", view.follow);
    focus.end();
    undress();
    child.end();
  };
}

function initialize({ model }) {
  const connection = connectionOf(model);
  return () => {
    connection.end();
    connections.delete(model.get("tree").name);
  };
}

export default { initialize, render };
