// One line of text for a person to read; it is never taken for markup or mathematics. It also saves files.

// What was left for the saved notebook is not needed where the panel itself is there.
function hideStill(name) {
  if (!/^[0-9a-f]+$/.test(name) || document.getElementById(`svc-hides-${name}`)) return;
  const style = document.createElement("style");
  style.id = `svc-hides-${name}`;
  style.textContent = `.jp-OutputArea-child:has(.svc-still-${name}), .svc-still-${name} { display: none !important; }`;
  document.head.append(style);
}

function save({ name, type }, buffers) {
  const address = URL.createObjectURL(new Blob(buffers, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// A key is for the control of a panel that has the focus, tabs and buttons too: shortcuts of the notebook pass over it.
function keepKeys({ target }) {
  if (target.closest?.(".svc-panel")) target.dataset.lmSuppressShortcuts = "true";
}

function listenOnce() {
  if (document.documentElement.dataset.svcKeepsKeys) return;
  document.documentElement.dataset.svcKeepsKeys = "true";
  document.addEventListener("focusin", keepKeys);
}

function initialize({ model }) {
  listenOnce();
  model.on("msg:custom", (message, buffers) => {
    if (message.kind === "download") save(message, buffers);
  });
}

function render({ model, el }) {
  const line = document.createElement("div");
  line.setAttribute("role", "status");
  el.append(line);
  function show() {
    line.className = `svc-line svc-${model.get("kind")} tex2jax_ignore mathjax_ignore`;
    line.textContent = model.get("text");
  }
  model.on("change:text change:kind", show);
  show();
  hideStill(model.get("still"));
  return () => model.off("change:text change:kind", show);
}

export default { initialize, render };
