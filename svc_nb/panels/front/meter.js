// The progress of a run: a bar, with its counts in words below.

function render({ model, el }) {
  const [meter, bar, done, failed, words] = ["", "-bar", "-done", "-failed", "-words"].map((name) =>
    make("div", `svc-meter${name}`),
  );
  bar.append(done, failed);
  meter.append(bar, words);
  bar.setAttribute("role", "progressbar");
  bar.setAttribute("aria-valuemin", "0");
  el.append(meter);

  function show() {
    const [total, well, badly] = ["total", "done", "failed"].map((name) => model.get(name));
    const share = (count) => `${total ? (100 * count) / total : 0}%`;
    meter.hidden = !model.get("state");
    meter.dataset.state = model.get("state");
    bar.setAttribute("aria-label", model.get("name"));
    bar.setAttribute("aria-valuemax", String(total));
    bar.setAttribute("aria-valuenow", String(well + badly));
    bar.setAttribute("aria-valuetext", model.get("text"));
    done.style.width = share(well);
    failed.style.width = share(badly);
    words.textContent = model.get("text");
  }
  const names = "change:total change:done change:failed change:text change:state change:name";
  model.on(names, show);
  show();
  return () => model.off(names, show);
}

export default { render };
