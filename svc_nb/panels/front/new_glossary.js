// A form for a new glossary: its name and its languages. Enter in any field continues.

function field(title, node) {
  const label = make("label", "svc-new-field");
  label.append(make("span", "svc-field-name", title), node);
  return label;
}

function choice(model, name) {
  const node = make("select");
  for (const [title, code] of model.get("languages")) node.append(Object.assign(make("option", "", title), { value: code }));
  node.value = model.get(name);
  return node;
}

function render({ model, el }) {
  const form = make("form", "svc-new-glossary");
  const name = make("input");
  const from = choice(model, "source_lang");
  const to = choice(model, "target_lang");
  const create = make("button", "svc-new-create", "Create");
  const told = make("div", "svc-new-told");
  form.noValidate = true;
  name.type = "text";
  name.dir = "auto";
  name.autocomplete = "off";
  name.required = true;
  const cancel = make("button", "svc-button", "Cancel");
  create.type = "submit";
  cancel.type = "button";
  cancel.addEventListener("click", () => model.send({ kind: "cancel" }));
  const end = follow(model, "can_cancel layout", () => {
    cancel.hidden = !model.get("can_cancel");
    if (model.get("layout").display === "none") name.value = told.textContent = ""; // the next one starts empty
  });
  told.setAttribute("role", "alert");
  form.append(field("Name", name), field("From", from), field("To", to), create, cancel, told);
  el.append(form);
  model.unsent = () => name.value;

  const refuse = (node, why) => {
    told.textContent = why;
    node.setAttribute("aria-invalid", "true");
    node.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const node of [name, to]) node.removeAttribute("aria-invalid");
    told.textContent = "";
    if (!name.value.trim()) return refuse(name, "Enter a name first.");
    if (from.value === to.value) return refuse(to, "Choose two different languages.");
    model.send({ kind: "create", name: name.value, source_lang: from.value, target_lang: to.value });
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "SELECT") return;
    event.preventDefault();
    form.requestSubmit();
  });
  return end;
}

export default { render };
