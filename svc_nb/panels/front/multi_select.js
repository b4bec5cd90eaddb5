// Some of many: picked options are chips, and a search box adds more. In single mode, the button that opens the list
// shows the picked option; in counted mode, the number, and with none picked all count. Samples are texts of the user's
// table, so they arrive as messages.

const MOST = 300;

const plain = (text) => text.toLocaleLowerCase();

function count(picked, all) {
  if (picked && picked < all) return `${picked.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  return all ? `All ${all.toLocaleString("en")}` : "None";
}

function parts() {
  const field = make("div", "svc-picks");
  const title = make("span", "svc-field-name");
  const chips = make("div", "svc-chips");
  const opener = make("button", "svc-adder");
  const popup = make("div", "svc-picks-popup");
  const search = make("input", "svc-picks-search");
  const tools = make("div", "svc-picks-tools");
  const all = make("button", "", "Select these");
  const none = make("button", "", "Clear");
  const list = make("div", "svc-picks-list");
  const rest = make("div", "svc-picks-rest");
  search.type = "search";
  opener.type = "button";
  opener.setAttribute("aria-expanded", "false");
  popup.hidden = true;
  field.setAttribute("role", "group");
  list.setAttribute("role", "group");
  list.dataset.name = `svc-picks-${Math.random().toString(36).slice(2)}`; // so that the radio buttons are one group
  tools.append(all, none);
  popup.append(search, tools, list, rest);
  chips.append(opener);
  field.append(title, chips, popup);
  return { field, title, chips, opener, popup, search, tools, all, none, list, rest };
}

function render({ model, el }) {
  const { field, title, chips, opener, popup, search, tools, all, none, list, rest } = parts();
  let samples = {};
  el.append(field);

  function choose(keys) {
    model.set("value", keys);
    model.save_changes();
  }
  const single = () => Boolean(model.get("single"));
  const counted = () => Boolean(model.get("counted"));
  function toggle(key, wanted) {
    const others = single() ? [] : model.get("value").filter((each) => each !== key);
    choose(wanted || single() ? [...others, key] : others);
  }
  const found = () => {
    const wanted = plain(search.value.trim());
    return model.get("options").filter(({ key, title, note }) => [key, title, note, samples[key] || ""].some((text) => plain(text).includes(wanted)));
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
    box.type = single() ? "radio" : "checkbox";
    box.name = list.dataset.name;
    box.checked = ticked;
    label.dataset.key = key;
    box.addEventListener("change", () => toggle(key, box.checked));
    label.append(box, make("span", "svc-picks-title", title), make("span", "svc-picks-note", note));
    if (samples[key]) {
      label.append(make("span", "svc-picks-sample", `“${samples[key]}”`));
      label.lastChild.dir = "auto";
    }
    return label;
  }
  function fill() {
    const matches = found();
    const value = new Set(model.get("value"));
    const place = list.scrollTop;
    list.replaceChildren(...matches.slice(0, MOST).map((option) => row(option, value.has(option.key))));
    list.scrollTop = place;
    rest.textContent = !matches.length ? "Nothing matches." : matches.length > MOST ? `${matches.length - MOST} more. Search to find them.` : "";
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
    const [only] = single() ? picked : [];
    opener.textContent = counted() ? count(picked.length, options.size) : only ? only.title : model.get("adds");
    opener.ariaLabel = `${name}: ${[opener.textContent.replace(/ ?…$/, ""), only?.note].filter(Boolean).join(", ")}`;
    if (only?.note) opener.append(" ", make("span", "svc-chip-note", only.note));
    field.classList.toggle("svc-select", single() || counted());
    tools.hidden = !counted();
    setDisabled(none, !picked.length);
    opener.disabled = model.get("disabled") || !options.size;
    search.placeholder = "Search";
    search.ariaLabel = `Search ${name.toLocaleLowerCase()}`;
    list.ariaLabel = name;
    const held = focused() === opener;
    chips.replaceChildren(...(single() || counted() ? [] : picked.map(chip)), opener);
    if (held) opener.focus({ preventScroll: true });
    if (opener.disabled) open(false);
  }
  function refresh() {
    const line = opener.offsetTop;
    tell();
    if (popup.hidden) return;
    const shown = [...list.children].map((label) => label.dataset.key).join("\n");
    const wanted = found().slice(0, MOST).map(({ key }) => key).join("\n");
    // Ticks change in place, so that the box that was clicked keeps the focus.
    if (shown === wanted) tick();
    else fill();
    if (opener.offsetTop !== line) place(); // chips may need another line now
  }
  const around = () => field.closest(".svc-panel") || field;
  // It opens below the button; if there is no room to the right, it moves to the left.
  function place() {
    if (popup.hidden) return;
    const panel = around();
    panel.style.paddingBottom = "";
    const [whole, own, outer] = [field, opener, panel].map((node) => node.getBoundingClientRect());
    const left = Math.min(own.left, outer.right - 8 - popup.offsetWidth);
    popup.style.left = `${Math.max(left, outer.left) - whole.left}px`;
    popup.style.top = `${own.bottom - whole.top + 2}px`;
    // A notebook clips content outside an output, so the panel grows while the list is open.
    const beyond = own.bottom + popup.offsetHeight + 12 - outer.bottom;
    if (beyond > 0) panel.style.paddingBottom = `${Math.ceil(beyond)}px`;
  }
  function open(wanted) {
    if (popup.hidden !== wanted) return;
    popup.hidden = !wanted;
    opener.setAttribute("aria-expanded", String(wanted));
    if (!wanted) {
      around().style.paddingBottom = "";
      return;
    }
    search.value = "";
    fill();
    place();
    search.focus({ preventScroll: true });
  }
  function step(event) {
    const boxes = [search, ...list.querySelectorAll("input")];
    const at = boxes.indexOf(focused());
    const to = boxes[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (at < 0 || !to) return;
    event.preventDefault();
    to.focus();
  }
  // Enter in the search box picks the first match.
  function take() {
    const first = found()[0];
    if (!first) return;
    toggle(first.key, !model.get("value").includes(first.key));
    search.select();
    if (single()) shut();
  }
  function shut() {
    open(false);
    opener.focus();
  }
  const outside = (event) => !event.composedPath().includes(field) && open(false);
  opener.addEventListener("click", () => open(popup.hidden));
  search.addEventListener("input", fill);
  press(all, () => choose([...new Set([...model.get("value"), ...found().map(({ key }) => key)])]));
  press(none, () => choose([]));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !popup.hidden) shut();
    else if (event.key === "Enter" && event.target.type === "radio") {
      event.preventDefault(); // or it would press the button that gets the focus
      event.target.click();
      shut();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
    else if (event.key === "Enter" && event.target === search) {
      event.preventDefault();
      take();
    }
  });
  field.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !field.contains(relatedTarget) && open(false));
  document.addEventListener("pointerdown", outside);
  window.addEventListener("resize", place);
  function hear(message) {
    if (message.kind !== "samples") return;
    samples = message.samples;
    if (!popup.hidden) fill();
  }
  list.addEventListener("click", (event) => single() && event.detail && event.target.type === "radio" && shut());
  const names = "change:options change:value change:name change:adds change:disabled";
  model.on(names, refresh);
  model.on("msg:custom", hear);
  tell();
  model.send({ kind: "ready" });
  return () => {
    open(false);
    model.off("msg:custom", hear);
    document.removeEventListener("pointerdown", outside);
    window.removeEventListener("resize", place);
    model.off(names, refresh);
  };
}

export default { render };
