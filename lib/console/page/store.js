// The one state of the page, its questions to the server, and its drawing.
export const store = {
  page: '',
  id: '',
  params: {},
  answer: undefined,
  session: undefined,
  /** The selected rows by id, of every page of the table. */
  picked: new Map(),
  dialog: undefined,
  said: '',
  fault: undefined,
};

let drawing;
/** Drawn at most once a frame. */
export const draw = () => void (drawing ??= requestAnimationFrame(() => ((drawing = undefined), store.draw())));

/** A question, or with a body an act. The answer is plain data. */
export async function ask(path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, body && { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => {});
  if (!response) return { kind: 'failed', why: 'the console does not answer: does its command still run?' };
  return response.json().catch(() => ({ kind: 'failed', why: `the console answered ${response.status}` }));
}

let quiet;
/** A line at the foot of the page. It is read out, and gone after a while. */
export function tell(text) {
  store.said = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => ((store.said = ''), draw()), 15_000);
  draw();
}

/** The rows that are selected. */
export const pick = {
  has: (row) => store.picked.has(row.id),
  toggle(rows, isOn = !store.picked.has(rows[0]?.id)) {
    for (const row of rows)
      if (isOn) store.picked.set(row.id, row);
      else store.picked.delete(row.id);
    draw();
  },
  clear() {
    store.picked.clear();
    draw();
  },
};
