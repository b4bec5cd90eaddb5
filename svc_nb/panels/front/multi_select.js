// Some of many: what is picked stands there as chips, and a box to search in adds more.

const MOST = 300;

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

const plain = (text) => text.toLocaleLowerCase();

function parts() {
  const field = make("div", "svc-picks tex2jax_ignore mathjax_ignore");
  const title = make("span", "svc-field-name");
  const chips = make("div", "svc-chips");
  const opener = make("button", "svc-adder");
  const popup = make("div", "svc-picks-popup");
  const search = make("input", "svc-picks-search");
  const list = make("div", "svc-picks-list");
  const rest = make("div", "svc-picks-rest");
  search.type = "search";
  opener.type = "button";
  opener.setAttribute("aria-expanded", "false");
  popup.hidden = true;
  field.setAttribute("role", "group");
  field.dataset.lmSuppressShortcuts = "true"; // a key pressed here is no shortcut of the notebook
  list.setAttribute("role", "group");
  popup.append(search, list, rest);
  chips.append(opener);
  field.append(title, chips, popup);
  return { field, title, chips, opener, popup, search, list, rest };
}

function render({ model, el }) {
  const { field, title, chips, opener, popup, search, list, rest } = parts();
  el.append(field);

  function choose(keys) {
    model.set("value", keys);
    model.save_changes();
  }
  function toggle(key, wanted) {
    const others = model.get("value").filter((each) => each !== key);
    choose(wanted ? [...others, key] : others);
  }
  const found = () => {
    const wanted = plain(search.value.trim());
    return model.get("options").filter(({ key, title, note }) => [key, title, note].some((text) => plain(text).includes(wanted)));
  };

  function chip({ key, title, note }) {
    const node = make("button", "svc-chip");
    node.type = "button";
    node.dataset.key = key;
    node.disabled = model.get("disabled");
    node.append(make("span", "", title));
    if (note) node.append(make("span", "svc-chip-note", note));
    node.append(make("span", "svc-chip-x", "×"));
    node.lastChild.setAttribute("aria-hidden", "true");
    node.title = node.ariaLabel = `Remove ${title}`;
    node.addEventListener("click", () => {
      toggle(key, false);
      opener.focus();
    });
    return node;
  }
  function row({ key, title, note }, ticked) {
    const label = make("label");
    const box = make("input");
    box.type = "checkbox";
    box.checked = ticked;
    label.dataset.key = key;
    box.addEventListener("change", () => toggle(key, box.checked));
    label.append(box, make("span", "svc-picks-title", title), make("span", "svc-picks-note", note));
    return label;
  }
  function fill() {
    const matches = found();
    const value = new Set(model.get("value"));
    const place = list.scrollTop;
    list.replaceChildren(...matches.slice(0, MOST).map((option) => row(option, value.has(option.key))));
    list.scrollTop = place;
    rest.textContent = !matches.length ? "Nothing matches." : matches.length > MOST ? `${matches.length - MOST} more: search for them.` : "";
  }
  function tick() {
    const value = new Set(model.get("value"));
    for (const label of list.children) label.firstChild.checked = value.has(label.dataset.key);
  }
  function tell() {
    const name = model.get("name");
    const options = new Map(model.get("options").map((option) => [option.key, option]));
    const picked = model.get("value").map((key) => options.get(key)).filter(Boolean);
    title.textContent = name;
    field.setAttribute("aria-label", name);
    opener.textContent = model.get("adds");
    opener.ariaLabel = `${name}: ${model.get("adds").replace(/\s*…$/, "")}`;
    opener.disabled = model.get("disabled") || !options.size;
    search.placeholder = "Search";
    search.ariaLabel = `Search ${name.toLocaleLowerCase()}`;
    list.ariaLabel = name;
    chips.replaceChildren(...picked.map(chip), opener);
    if (opener.disabled) open(false);
  }
  function refresh() {
    tell();
    if (popup.hidden) return;
    const shown = [...list.children].map((label) => label.dataset.key).join("\n");
    const wanted = found().slice(0, MOST).map(({ key }) => key).join("\n");
    // Ticks change in place, so that the box that was clicked keeps the focus.
    if (shown === wanted) tick();
    else fill();
  }
  // It opens below the button; where there is no room to the right, it moves to the left.
  function place() {
    const panel = field.closest(".svc-panel") || field;
    panel.style.paddingBottom = "";
    if (popup.hidden) return;
    const [whole, own, around] = [field, opener, panel].map((node) => node.getBoundingClientRect());
    const left = Math.min(own.left, around.right - 8 - popup.offsetWidth);
    popup.style.left = `${Math.max(left, around.left) - whole.left}px`;
    popup.style.top = `${own.bottom - whole.top + 2}px`;
    // A notebook cuts off what hangs out of an output, so the panel grows while it is open.
    const beyond = own.bottom + popup.offsetHeight + 12 - around.bottom;
    if (beyond > 0) panel.style.paddingBottom = `${Math.ceil(beyond)}px`;
  }
  function open(wanted) {
    if (popup.hidden !== wanted) return;
    popup.hidden = !wanted;
    opener.setAttribute("aria-expanded", String(wanted));
    if (!wanted) {
      place();
      return;
    }
    search.value = "";
    fill();
    place();
    search.focus({ preventScroll: true });
  }
  function step(event) {
    const boxes = [search, ...list.querySelectorAll("input")];
    const at = boxes.indexOf(document.activeElement);
    const to = boxes[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (at < 0 || !to) return;
    event.preventDefault();
    to.focus();
  }
  // Enter in the search box takes the first that is found.
  function take() {
    const first = found()[0];
    if (!first) return;
    toggle(first.key, !model.get("value").includes(first.key));
    search.select();
  }
  const outside = (event) => !field.contains(event.target) && open(false);
  opener.addEventListener("click", () => open(popup.hidden));
  search.addEventListener("input", fill);
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape" && !popup.hidden) {
      open(false);
      opener.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
    else if (event.key === "Enter" && event.target === search) {
      event.preventDefault();
      take();
    }
  });
  document.addEventListener("pointerdown", outside);
  window.addEventListener("resize", place);
  const names = "change:options change:value change:name change:adds change:disabled";
  model.on(names, refresh);
  tell();
  return () => {
    open(false);
    document.removeEventListener("pointerdown", outside);
    window.removeEventListener("resize", place);
    model.off(names, refresh);
  };
}

export default { render };
