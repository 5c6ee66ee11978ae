// The page of the local console. Asks once a second, draws what it hears; texts from outside are only ever text nodes.
const colours = {
  accepted: '#2f9e5b',
  approved: '#1d6f8f',
  submitting: '#8a94a3',
  retryable: '#e0a526',
  'in-doubt': '#e0662b',
  held: '#b3369c',
  declined: '#c43c3c',
  failed: '#7d1f2c',
  cancelled: '#5b6675',
  done: '#6c8f3a',
  'dead-letter': '#8c2f7a',
};
const byId = (id) => document.getElementById(id);
/** Programs read `approved`; people read "paid". */
const wordOf = (state) => (state === 'approved' ? 'paid' : state);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function ask(path, body) {
  const options = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await fetch(path, options);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const clock = (ms) => new Date(ms).toLocaleTimeString('en-GB');
const span = (ms) => (ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`);

function showQueues(queues) {
  byId('queues').replaceChildren(
    ...queues.map(({ name, visible, inFlight, delayed, notEmptyForMs }) =>
      element(
        'div',
        {},
        name,
        element('b', {}, String(visible + inFlight + delayed)),
        element(
          'small',
          {},
          `${inFlight} in flight, ${delayed} delayed`,
          element('br'),
          notEmptyForMs > 0 ? `not empty for at least ${span(notEmptyForMs)}` : 'empty',
        ),
      ),
    ),
  );
}

const chartSeconds = 60;
function showChart(seconds, orders, nowMs) {
  const chart = byId('chart');
  const [width, height, foot] = [720, 180, 20];
  const first = Math.floor(nowMs / 1000) - chartSeconds + 1;
  const bySecond = new Map(seconds.map(({ atMs, states }) => [Math.floor(atMs / 1000), states]));
  const columns = Array.from({ length: chartSeconds }, (_, index) => bySecond.get(first + index) ?? {});
  const most = Math.max(10, ...columns.map((states) => Object.values(states).reduce((sum, n) => sum + n, 0)));
  const scale = (height - foot - 10) / most;
  const bars = columns.flatMap((states, index) => {
    let top = height - foot;
    return Object.entries(states).map(([state, count]) => {
      top -= count * scale;
      const box = {
        x: (index * width) / chartSeconds + 1,
        y: top,
        width: width / chartSeconds - 2,
        height: count * scale,
      };
      const bar = drawn('rect', { ...box, fill: colours[state] ?? '#8a94a3' });
      const title = drawn('title', {});
      title.textContent = `${clock((first + index) * 1000)}: ${count} ${wordOf(state)}`;
      bar.append(title);
      return bar;
    });
  });
  const axis = drawn('line', {
    x1: 0,
    x2: width,
    y1: height - foot,
    y2: height - foot,
    stroke: 'currentColor',
    'stroke-opacity': 0.3,
  });
  const texts = [
    [`${most} a second`, 0, 10],
    [`${chartSeconds} s ago`, 0, height - 4],
    ['now', width - 24, height - 4],
  ].map(([text, x, y]) => {
    const made = drawn('text', { x, y, 'font-size': 11, fill: 'currentColor', 'fill-opacity': 0.7 });
    made.textContent = text;
    return made;
  });
  chart.replaceChildren(axis, ...bars, ...texts);
  const total = Object.values(orders).reduce((sum, count) => sum + count, 0);
  byId('chart-text').textContent = `${total} orders seen since the start, each by its latest state:`;
  byId('legend').replaceChildren(
    ...Object.entries(orders)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => {
        const mark = element('i');
        mark.style.background = colours[state] ?? '#8a94a3';
        return element('li', {}, mark, `${wordOf(state)} ${count}`);
      }),
  );
}

let shownJobs = '';
function showJobs(recent) {
  const key = JSON.stringify(recent[0] ?? '') + recent.length;
  if (key === shownJobs) return; // whoever reads or tabs through the table must not have it drawn anew
  shownJobs = key;
  byId('jobs').replaceChildren(
    ...recent.map((job) => {
      return element(
        'tr',
        {},
        element('td', {}, clock(job.atMs)),
        element('td', {}, job.order),
        element('td', {}, job.operation),
        element('td', {}, wordOf(job.state)),
        element('td', {}, job.reason),
        element('td', { class: 'number' }, String(job.attempts)),
        element('td', { class: 'number' }, String(job.durationMs)),
      );
    }),
  );
}

function showFaults(gateway) {
  const place = byId('faults');
  if (!gateway) return place.remove();
  if (place.children.length > 1) return;
  for (const { name, description } of gateway.choices) {
    const input = element('input', { type: 'radio', name: 'faults', value: name });
    input.checked = name === gateway.faults;
    input.addEventListener(
      'change',
      () => void act(() => ask('/api/faults', { name }), `The simulated gateway is now: ${name}`),
    );
    place.append(element('label', {}, input, ` ${name}: ${description}`));
  }
}

async function act(deed, said) {
  try {
    await deed();
    byId('done').textContent = said;
  } catch (error) {
    byId('done').textContent = error.message;
  }
}

async function showSignature() {
  const { parts, signature, authorization, body } = await ask('/api/signature');
  byId('base-string').replaceChildren(
    ...parts.map(({ kind, text, means }) => {
      const part = element('span', { class: kind, ...(kind !== 'separator' && { tabindex: 0, title: means }) }, text);
      const tell = () => (byId('part').textContent = kind === 'separator' ? '' : means);
      part.addEventListener('mouseenter', tell);
      part.addEventListener('focus', tell);
      return part;
    }),
  );
  const rows = { signature, Authorization: authorization, body };
  byId('signed').replaceChildren(
    ...Object.entries(rows).flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}

async function look() {
  try {
    const { nowMs, queues, orders, seconds, recent, gateway } = await ask('/api/state');
    showQueues(queues);
    showChart(seconds, orders, nowMs);
    showJobs(recent);
    byId('do').hidden = !gateway; // a gateway of one's own would pay what is sent from here
    showFaults(gateway);
    const requests = Object.values(gateway?.requests ?? {}).reduce((sum, count) => sum + count, 0);
    byId('live').textContent = `live at ${clock(nowMs)}${gateway ? ` · ${requests} requests at the gateway` : ''}`;
  } catch {
    byId('live').textContent = 'The run has ended, or does not answer.';
  }
  setTimeout(look, 1000);
}

byId('send-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const count = Number(byId('count').value);
  void act(() => ask('/api/jobs', { count }), `${count} payouts are on the queue`);
});
void showSignature();
void look();
