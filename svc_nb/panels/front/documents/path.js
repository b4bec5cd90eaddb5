// A field for a path on the kernel's machine: it shows what is there while typing, and adds nothing before asked.

const PAUSE = 250;

function render({ model, el }) {
  const root = make("div", "svc-path");
  const label = make("label", "svc-path-field");
  const name = make("span", "svc-field-name");
  const input = make("input", "svc-path-input");
  const list = make("datalist");
  const add = make("button", "svc-path-add", "Add");
  const said = make("div", "svc-path-said");
  let later = 0;
  let told = "";
  input.type = "text";
  input.spellcheck = false;
  input.autocomplete = "off";
  input.placeholder = "For example contracts/";
  list.id = `svc-paths-${Math.random().toString(36).slice(2, 8)}`;
  input.setAttribute("list", list.id);
  said.id = `${list.id}-said`;
  input.setAttribute("aria-describedby", said.id);
  said.setAttribute("role", "status");
  add.type = "button";
  label.append(name, input);
  root.append(label, add, said, list);
  el.append(root);

  const ask = () => {
    told = input.value;
    model.send({ kind: "look", text: told });
  };
  const take = () => {
    clearTimeout(later);
    told = input.value;
    if (told.trim()) model.send({ kind: "add", text: told });
  };
  const state = { count: 0, said: "", severity: "", offered: [] };
  function shown(message) {
    Object.assign(state, message);
    if (message.label !== undefined) name.textContent = message.label;
    if (message.text === "" && input.value === told) input.value = told = "";
    if (message.text === undefined || message.text === input.value) {
      said.textContent = state.said;
      said.dataset.severity = state.severity;
      list.replaceChildren(...state.offered.map((path) => Object.assign(make("option"), { value: path })));
    }
    add.textContent = state.count ? `Add ${state.count.toLocaleString("en")} ${state.count === 1 ? "file" : "files"}` : "Add";
  }
  input.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(ask, PAUSE);
  });
  add.addEventListener("click", take);
  root.addEventListener("keydown", (event) => {
    if (event.target !== input || event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    take();
  });
  const heard = (message) => message.kind === "shown" && shown(message);
  model.on("msg:custom", heard);
  model.send({ kind: "ready" });
  return () => {
    clearTimeout(later);
    model.off("msg:custom", heard);
  };
}

export default { render };
