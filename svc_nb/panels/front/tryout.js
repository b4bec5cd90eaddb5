// A sentence to try out and its results: all plain text, and none of it saved in the notebook.

// A text, or its pieces: differences from the other result are marked.
function result([title, text]) {
  const part = make("div", "svc-result");
  const said = make("div", "svc-result-text");
  const pieces = typeof text === "string" ? [[text, false]] : text;
  said.append(...pieces.map(([piece, differs]) => make(differs ? "mark" : "span", "", piece)));
  said.dir = "auto";
  part.append(make("div", "svc-field-name", title), said);
  return part;
}

function render({ model, el }) {
  const box = make("div", "svc-trial");
  const label = make("label", "svc-trial-field");
  const name = make("span", "svc-field-name", model.get("label"));
  const field = make("textarea");
  const button = make("button", "svc-trial-button", model.get("action"));
  const results = make("div", "svc-results");
  const empty = make("div");
  // Keep Enter and letters from the notebook here.
  field.rows = 3;
  field.dir = "auto";
  button.title = "Or press Enter in the field";
  results.setAttribute("role", "status");
  empty.setAttribute("role", "status");
  label.append(name, field);
  box.append(label, button, empty, results);
  el.append(box);

  let sent = "";
  model.unsent = () => (field.value === sent ? "" : field.value);
  const begin = () => {
    if (model.get("busy")) return;
    empty.textContent = field.value.trim() ? "" : "Enter some text first.";
    if (field.value.trim()) model.send({ kind: "try", text: (sent = field.value) });
    else results.replaceChildren();
  };
  const wait = () => {
    setDisabled(button, model.get("busy"));
    box.setAttribute("aria-busy", String(model.get("busy")));
  };
  const heard = (message) => {
    if (message.kind !== "shown") return;
    if (focused() !== field) field.value = sent = message.text;
    results.replaceChildren(...message.results.map(result));
  };
  press(button, begin);
  box.addEventListener("keydown", (event) => {
    if (event.target !== field || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    begin();
  });
  model.on("msg:custom", heard);
  model.on("change:busy", wait);
  wait();
  model.send({ kind: "ready" });
  return () => {
    model.off("msg:custom", heard);
    model.off("change:busy", wait);
  };
}

export default { render };
