// The controls: the browser's own, with labels, and only those that panels use.

const DATE_PATIENCE = 800; // milliseconds after the last key

const WRITES = "input:not([type=checkbox], [type=radio], [type=file]), textarea:not(.svc-pen), .svc-pen.svc-open";

let made = 0;

// An id that is unique on the page, which may also have panels of other kernels.
function unique(name) {
  made += 1;
  return `svc-${name}-${made}-${Math.random().toString(36).slice(2, 8)}`;
}

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

// The focused element, even if the panel is in a shadow tree.
function focused() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

// Whether the user is not working elsewhere, such as in a notebook cell: the focus is nowhere, or in the panel of *el*.
function isFocusFree(el) {
  const active = focused();
  return !active || active === document.body || Boolean(el.closest(".svc-root")?.contains(active));
}

// Call *show* now and whenever one of *names* changes; returns a function that ends this.
function follow(model, names, show) {
  const events = names.split(" ").map((name) => `change:${name}`).join(" ");
  model.on(events, show);
  show();
  return () => model.off(events, show);
}

function write(model, name, value) {
  model.set(name, value);
  model.save_changes();
}

// The choice is sent by its label, because the kernel may have other options by then.
function choose(model, index) {
  model.set("index", index);
  model.save_changes({ label: model.get("labels")[index] });
}

// A focused control keeps the focus while disabled: only its style and its role say so.
function setDisabled(node, disabled) {
  const held = focused() === node && node.tagName === "BUTTON";
  node.disabled = disabled && !held;
  if (disabled) node.setAttribute("aria-disabled", "true");
  else node.removeAttribute("aria-disabled");
}

function press(node, pressed) {
  node.type = "button";
  node.addEventListener("click", () => {
    if (node.getAttribute("aria-disabled") !== "true") pressed();
  });
  node.addEventListener("blur", () => {
    if (node.getAttribute("aria-disabled") === "true") node.disabled = true;
  });
}

// A control below its name.
function labelled(model, el, control) {
  control.id = unique("control");
  const label = make("label", "svc-field-name");
  label.htmlFor = control.id;
  el.append(label, control);
  return follow(model, "description tooltip disabled", () => {
    label.textContent = model.get("description");
    label.hidden = !model.get("description");
    control.title = model.get("tooltip") || "";
    setDisabled(control, model.get("disabled"));
  });
}

function ends(...all) {
  return () => all.forEach((end) => end());
}

function box(direction) {
  return {
    render({ model, el, draw }) {
      el.classList.add("svc-box", `svc-${direction}`);
      let drawn = new Map();
      const end = follow(model, "children", () => {
        const before = drawn;
        drawn = new Map(model.get("children").map((id) => [id, before.get(id) || draw(id)]));
        for (const [id, child] of before) if (!drawn.has(id)) child.end();
        let last = null;
        for (const { el: child } of drawn.values()) {
          if (child.parentNode !== el || child.previousSibling !== last) el.insertBefore(child, last ? last.nextSibling : el.firstChild);
          last = child;
        }
      });
      return ends(end, () => drawn.forEach((child) => child.end()));
    },
  };
}

const CONTROLS = {
  box: box("flow"),
  column: box("column"),
  row: box("across"),

  // It takes the focus, but none of its answers does, so that pressing a key twice answers nothing.
  question: {
    render(given) {
      const { model, el } = given;
      const end = box("column").render(given);
      el.tabIndex = -1;
      el.classList.add("svc-question");
      el.setAttribute("role", "group");
      el.setAttribute("aria-label", "Question");
      // Do not disturb a user who is typing or working in another panel.
      const isInPanel = (node) => el.isConnected && node?.closest?.(".svc-root") === el.closest(".svc-root");
      const isOurs = (node) => isInPanel(node) && !node.matches(WRITES);
      const hidden = () => model.get("layout").display === "none";
      let was = true;
      el.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || event.defaultPrevented || !model.get("escapes")) return;
        const answers = [...el.querySelectorAll(".svc-button")].filter((node) => !node.closest("[hidden]"));
        answers.at(-1)?.click();
      });
      const stop = follow(model, "layout", () => {
        const now = hidden();
        if (was && !now) {
          const before = focused();
          // Where the focus returns to; also for the panel, which may move it before this does.
          el.back = isInPanel(before) ? { node: before, around: ancestors(before) } : null;
          requestAnimationFrame(() => !hidden() && isOurs(before) && el.focus());
        } else if (!was && now && el.back && (el.contains(focused()) || isFocusFree(el))) {
          const { node } = el.back;
          setTimeout(() => !focusElsewhere(el) && refocus(node));
        }
        was = now;
      });
      return ends(end, stop);
    },
  },

  // Ctrl-Z undoes a step wherever the focus is; undoing text being typed into a field is left to the browser.
  undo_box: {
    render(given) {
      const { model, el } = given;
      const end = box("column").render(given);
      let typing = null;
      let before = "";
      // The browser's own history breaks if the kernel has changed the field: then all typed text is undone at once.
      const makeSure = (field) => {
        const [now, first] = [field.value, before];
        setTimeout(() => {
          if (field.value !== now) return;
          field.value = first;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        });
      };
      el.addEventListener("beforeinput", ({ target }) => {
        if (typing !== target) [typing, before] = [target, target.value];
      });
      el.addEventListener("focusout", () => {
        typing = null;
      });
      el.addEventListener("keydown", (event) => {
        const { key, target, isComposing } = event;
        const turn = (event.ctrlKey || event.metaKey) && !event.altKey && { z: event.shiftKey ? "redo" : "undo", y: "redo" }[key.toLowerCase()];
        if (!turn || isComposing || event.defaultPrevented) return;
        if (typing === target && target.matches(WRITES) && target.value !== before) return turn === "undo" && makeSure(target);
        event.preventDefault();
        model.send({ kind: turn });
      });
      return end;
    },
  },

  tabs: {
    render({ model, el, draw }) {
      const name = unique("tabs");
      const list = make("div", "svc-tab-list");
      list.setAttribute("role", "tablist");
      el.classList.add("svc-tabs");
      el.append(list);
      const pages = model.get("children").map((id, at) => {
        const tab = make("button", "svc-tab");
        const page = make("div", "svc-tab-page");
        const child = draw(id);
        tab.type = "button";
        tab.id = `${name}-${at}`;
        tab.setAttribute("role", "tab");
        page.id = `${name}-${at}-page`;
        page.setAttribute("role", "tabpanel");
        page.setAttribute("aria-labelledby", tab.id);
        tab.setAttribute("aria-controls", page.id);
        tab.addEventListener("click", () => write(model, "selected_index", at));
        page.append(child.el);
        list.append(tab);
        el.append(page);
        return { tab, page, child };
      });
      list.addEventListener("keydown", (event) => {
        const at = pages.findIndex(({ tab }) => tab === event.target);
        const last = pages.length - 1;
        const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at ? at - 1 : last, Home: 0, End: last }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        pages[to].tab.focus();
        write(model, "selected_index", to);
      });
      const end = follow(model, "titles selected_index", () => {
        pages.forEach(({ tab, page }, at) => {
          const chosen = at === model.get("selected_index");
          tab.textContent = model.get("titles")[at] || `${at + 1}`;
          tab.setAttribute("aria-selected", String(chosen));
          tab.tabIndex = chosen ? 0 : -1;
          page.hidden = !chosen;
        });
      });
      return ends(end, () => pages.forEach(({ child }) => child.end()));
    },
  },

  label: {
    render({ model, el }) {
      el.classList.add("svc-label");
      return follow(model, "value", () => {
        el.textContent = model.get("value");
      });
    },
  },

  button: {
    tag: "button",
    render({ model, el }) {
      press(el, () => model.send({ kind: "click" }));
      return follow(model, "description tooltip disabled button_style classes", () => {
        const style = model.get("button_style");
        el.classList.add("svc-button");
        for (const each of ["primary", "warning", "danger"]) el.classList.toggle(`svc-${each}`, each === style);
        el.textContent = model.get("description");
        const help = model.get("tooltip");
        el.title = help && help !== model.get("description") ? help : "";
        setDisabled(el, model.get("disabled"));
      });
    },
  },

  toggle: {
    tag: "button",
    render({ model, el }) {
      press(el, () => write(model, "value", !model.get("value")));
      return follow(model, "description tooltip disabled value classes", () => {
        el.classList.add("svc-button", "svc-toggle");
        el.textContent = model.get("description");
        el.title = model.get("tooltip") || "";
        el.setAttribute("aria-pressed", String(model.get("value")));
        setDisabled(el, model.get("disabled"));
      });
    },
  },

  toggles: {
    render({ model, el }) {
      el.classList.add("svc-toggles");
      el.setAttribute("role", "group");
      return follow(model, "labels tooltips index disabled description", () => {
        const labels = model.get("labels");
        if (model.get("description")) el.setAttribute("aria-label", model.get("description"));
        while (el.children.length > labels.length) el.lastChild.remove();
        while (el.children.length < labels.length) {
          const at = el.children.length;
          const button = make("button", "svc-button svc-toggle");
          press(button, () => choose(model, at));
          el.append(button);
        }
        labels.forEach((label, at) => {
          const button = el.children[at];
          if (button.textContent !== label) button.textContent = label;
          button.title = model.get("tooltips")[at] || "";
          button.setAttribute("aria-pressed", String(at === model.get("index")));
          setDisabled(button, model.get("disabled"));
        });
      });
    },
  },

  checkbox: {
    render({ model, el }) {
      const label = make("label", "svc-checkbox");
      const input = make("input");
      const words = make("span");
      input.type = "checkbox";
      label.append(input, words);
      el.append(label);
      input.addEventListener("change", () => write(model, "value", input.checked));
      return follow(model, "description tooltip disabled value", () => {
        words.textContent = model.get("description");
        label.title = model.get("tooltip") || "";
        input.checked = model.get("value");
        setDisabled(input, model.get("disabled"));
      });
    },
  },

  select: {
    render({ model, el }) {
      const control = make("select");
      const name = labelled(model, el, control);
      control.addEventListener("change", () => choose(model, control.selectedIndex));
      const offer = follow(model, "labels", () => {
        control.replaceChildren(...model.get("labels").map((label) => new Option(label)));
        control.selectedIndex = model.get("index") ?? -1;
      });
      const show = follow(model, "index", () => {
        control.selectedIndex = model.get("index") ?? -1;
      });
      return ends(name, offer, show);
    },
  },

  text: written_in("input"),
  textarea: written_in("textarea"),

  date: {
    render({ model, el }) {
      const control = make("input");
      control.type = "date";
      const name = labelled(model, el, control);
      let timer = 0;
      const told = () => {
        clearTimeout(timer);
        if (control.value !== model.get("value")) write(model, "value", control.value);
      };
      // A browser reports every key, and a year being typed is not valid yet.
      control.addEventListener("change", () => {
        clearTimeout(timer);
        timer = setTimeout(told, DATE_PATIENCE);
      });
      control.addEventListener("blur", told);
      control.addEventListener("keydown", (event) => event.key === "Enter" && told());
      const show = follow(model, "value", () => {
        if (control.value !== model.get("value")) control.value = model.get("value");
      });
      return ends(name, show, () => clearTimeout(timer));
    },
  },
};

function written_in(kind) {
  return {
    render({ model, el }) {
      const control = make(kind);
      control.dir = "auto";
      const name = labelled(model, el, control);
      const told = () => control.value !== model.get("value") && write(model, "value", control.value);
      control.addEventListener("input", () => model.get("continuous_update") && told());
      control.addEventListener("change", told);
      control.addEventListener("keydown", (event) => {
        if (kind !== "input" || event.key !== "Enter" || event.isComposing) return;
        told();
        if (model.get("submits")) model.send({ kind: "submit" });
      });
      const hint = follow(model, "placeholder", () => {
        control.placeholder = model.get("placeholder");
      });
      const show = follow(model, "value", () => {
        if (control.value !== model.get("value")) control.value = model.get("value");
      });
      return ends(name, hint, show);
    },
  };
}
