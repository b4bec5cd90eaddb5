// Letters and Enter on a row of the grid beside it; the kernel gets the key and the first text of the row, because the
// row's position may have changed there.

function render({ model, el }) {
  let box = null;
  const press = (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (ctrlKey || metaKey || altKey || isComposing || !model.get("letters").includes(key)) return;
    const grid = event.target.closest('[role="grid"]');
    const first = event.target.closest(".svc-row")?.querySelector('[data-column="0"]');
    if (!grid || !first) return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ kind: "key", key, text: first.textContent });
  };
  // It is added to the page after it is made.
  const later = requestAnimationFrame(() => {
    box = el.closest(`.${model.get("within")}`);
    box?.addEventListener("keydown", press, { capture: true });
  });
  el.hidden = true;
  return () => {
    cancelAnimationFrame(later);
    box?.removeEventListener("keydown", press, { capture: true });
  };
}

export default { render };
