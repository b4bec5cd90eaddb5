// One line of plain text; it is never treated as markup or mathematics. It also saves files.

// Hide the saved view while the panel itself is on the page; returns a function that ends this.
function hideStill(name) {
  const style = document.createElement("style");
  if (/^[0-9a-f]+$/.test(name))
    style.textContent = `.jp-OutputArea-child:has(.svc-still-${name}), .svc-still-${name} { display: none !important; }`;
  document.head.append(style);
  return () => style.remove();
}

function save({ name, type }, buffers) {
  const address = URL.createObjectURL(new Blob(buffers, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function initialize({ model }) {
  model.on("msg:custom", (message, buffers) => {
    if (message.kind === "download") save(message, buffers);
  });
}

function render({ model, el }) {
  const line = document.createElement("div");
  const words = document.createElement("span");
  const button = document.createElement("button");
  words.setAttribute("role", "status");
  words.tabIndex = -1; // has the focus while the button is hidden
  button.type = "button";
  button.className = "svc-button svc-retry";
  button.addEventListener("click", () => model.send({ kind: "retry" }));
  line.append(words, button);
  el.append(line);
  function show() {
    line.className = `svc-line svc-${model.get("kind")}`;
    words.textContent = model.get("text");
    button.textContent = model.get("retry");
    const held = [words, button].includes(button.getRootNode().activeElement);
    button.hidden = !model.get("retry");
    if (held) (button.hidden ? words : button).focus(); // it may return with the next answer
  }
  const names = "change:text change:kind change:retry";
  model.on(names, show);
  show();
  const showStill = hideStill(model.get("still"));
  return () => {
    model.off(names, show);
    showStill();
  };
}

export default { initialize, render };
