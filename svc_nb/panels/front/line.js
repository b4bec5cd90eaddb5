// One line of text for a person to read; it is never taken for markup or mathematics.

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
  return () => model.off("change:text change:kind", show);
}

export default { render };
