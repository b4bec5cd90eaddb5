// An area to drop files on or to choose them with the keyboard; each is sent piece by piece, on request.

const PIECE = 1 << 20;
let numbers = 0;

function render({ model, el }) {
  const zone = make("label", "svc-drop");
  const title = make("span", "svc-drop-title");
  const forms = make("span", "svc-drop-forms", model.get("suffixes").join("  "));
  const input = make("input", "svc-drop-input");
  input.type = "file";
  input.multiple = model.get("several");
  input.accept = model.get("suffixes").join(",");
  const told = make("div", "svc-drop-told");
  told.setAttribute("role", "status");
  [title.id, forms.id] = [unique("drop"), unique("drop")];
  input.setAttribute("aria-labelledby", title.id);
  input.setAttribute("aria-describedby", forms.id);
  zone.append(input, title, forms);
  el.append(zone, told);
  let file = null;
  let number = 0;
  let waiting = [];

  async function send(at) {
    const { name, size } = file;
    const mine = number;
    try {
      // Files that will be rejected are not sent: their names and sizes are enough.
      const piece = size > model.get("most") ? new ArrayBuffer(0) : await file.slice(at, at + PIECE).arrayBuffer();
      if (mine !== number) return;
      model.send({ kind: "piece", number, name, size, at }, undefined, [piece]);
      tell(sending(at, size));
    } catch {
      if (mine !== number) return;
      model.send({ kind: "unreadable", name });
      next();
    }
  }
  function sending(at, size) {
    const rest = waiting.length ? `, ${waiting.length} more to come` : "";
    return size > PIECE || rest ? `Sending ${Math.round((100 * at) / size)} %${rest}` : "";
  }
  function next() {
    file = waiting.shift() || null;
    number = `${Date.now()}-${(numbers += 1)}`;
    tell("");
    if (file) send(0);
  }
  function take(files) {
    if (!files.length) return;
    if (files.length > 1 && !model.get("several")) return model.send({ kind: "several" });
    if (!model.get("several")) file = null; // a new file replaces one being sent
    waiting = model.get("several") ? [...waiting, ...files] : files;
    if (file) return;
    model.send({ kind: "begin" });
    next();
  }
  function tell(text) {
    title.textContent = text || model.get("title");
  }
  const heard = (message) => {
    if (message.kind === "more" && message.number === number && file) send(message.at);
    if (message.kind === "told") told.textContent = message.text;
    if (message.kind === "done" && message.number === number) next();
  };
  const over = (event, inside) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.toggle("svc-over", inside);
  };
  zone.addEventListener("dragenter", (event) => over(event, true));
  zone.addEventListener("dragover", (event) => over(event, true));
  zone.addEventListener("dragleave", (event) => over(event, false));
  zone.addEventListener("drop", (event) => {
    over(event, false);
    input.focus({ preventScroll: true }); // scroll to the question about the files
    take([...event.dataTransfer.files]);
  });
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = ""; // so that the same file can be chosen again
  });
  model.on("msg:custom", heard);
  tell("");
  model.send({ kind: "ready" });
  return () => model.off("msg:custom", heard);
}

export default { render };
