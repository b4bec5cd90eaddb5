// Letters and Enter on a row of the grid beside it; the kernel is told the key and the place of the row.

function render({ model, el }) {
  let box = null;
  const press = (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (ctrlKey || metaKey || altKey || isComposing || !model.get("letters").includes(key)) return;
    const grid = event.target.closest('[role="grid"]');
    const cell = event.target.closest("[data-row]");
    const place = Number(cell?.dataset.row);
    if (!grid || !cell || !(place >= 0)) return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ kind: "key", key, place });
  };
  // It is put into the page after it is made.
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
