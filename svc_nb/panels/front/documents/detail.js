// The file chosen in the grid: its facts as text, and a button if it can be sent again by itself.

const NAMES = { retry: "Retry" };

function render({ model, el }) {
  const root = make("div", "svc-file");
  const facts = make("dl", "svc-file-facts");
  const tools = make("div", "svc-file-tools");
  const state = { number: null, facts: [], can: [] };
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "The chosen file");
  root.append(facts, tools);
  el.append(root);

  function button(what) {
    const node = make("button", "svc-file-button", NAMES[what]);
    node.type = "button";
    node.dataset.what = what;
    node.setAttribute("aria-label", `${NAMES[what]} ${state.facts[0][1]}`);
    node.addEventListener("click", () => model.send({ kind: what, number: state.number }));
    return node;
  }
  function shown(message) {
    if (message.kind !== "shown") return;
    Object.assign(state, message);
    const before = root.contains(focused()) ? focused().dataset.what : "";
    root.hidden = state.number === null;
    const pairs = state.facts.flatMap(([title, text]) => {
      const said = make("dd", "", text);
      said.dir = "auto";
      return [make("dt", "", title), said];
    });
    facts.replaceChildren(...pairs);
    tools.replaceChildren(...state.can.map(button));
    // The pressed button may be gone: the next one takes the focus, so that no key goes to the notebook.
    if (before) (tools.querySelector(`[data-what="${before}"]`) || tools.querySelector("button"))?.focus();
  }
  root.hidden = true;
  model.on("msg:custom", shown);
  model.send({ kind: "ready" });
  return () => model.off("msg:custom", shown);
}

export default { render };
