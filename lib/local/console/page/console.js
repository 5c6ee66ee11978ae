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

/** The length of a lane's line, since when, and for how long; of ten thousand there may be more. */
function lineText({ class: name, rows, isMore, oldestSinceMs, endsAtMs }, nowMs) {
  const oldest = oldestSinceMs === undefined ? '' : `, oldest ${span(Math.max(0, nowMs - oldestSinceMs))}`;
  const left = endsAtMs > nowMs ? `, ${isMore ? 'at least ' : ''}${span(endsAtMs - nowMs)} left` : '';
  return `${rows}${isMore ? ' or more' : ''} ${name === 'urgent' ? 'jobs' : 'rows'} waiting${oldest}${left}`;
}

/** Each merchant's endpoint: its pace while it is open, else what holds it up, and until when it will. */
function showLanes(lanes, nowMs) {
  if (lanes.length === 0) return;
  byId('lanes').replaceChildren(
    ...lanes.map(({ merchant, endpointId, condition, reason, ratePerSecond, lines, nextProbeAtMs }) => {
      const goes = condition === 'open' || condition === 'slowed';
      const left = lines.length === 0 ? '0 waiting' : lines.map((it) => lineText(it, nowMs)).join(', ');
      const probe = nextProbeAtMs > nowMs ? `next probe in ${span(nextProbeAtMs - nowMs)}` : '';
      const pace = `${ratePerSecond < 10 ? ratePerSecond.toFixed(1) : Math.round(ratePerSecond)}/s`;
      return element(
        'div',
        goes ? {} : { class: 'trouble' },
        `${merchant} at ${endpointId}`,
        element('b', {}, goes ? pace : condition),
        element('small', {}, reason, element('br'), [left, probe].filter(Boolean).join(', ')),
      );
    }),
  );
}

const moneyColumns = {
  paid: 'paid',
  accepted: 'accepted',
  inDoubt: 'in doubt',
  waiting: 'waiting',
  notPaid: 'not paid',
};
let shownMoney = '';
function showMoney(money) {
  const key = JSON.stringify(money);
  if (key === shownMoney) return; // a screen reader must not lose its place each second
  shownMoney = key;
  if (money.length > 0) {
    byId('money').replaceChildren(
      ...money.map((row) =>
        element(
          'tr',
          { role: 'row' }, // said, as a phone's layout of the table would lose it
          element('th', { scope: 'row', role: 'rowheader' }, row.currency),
          ...Object.entries(moneyColumns).map(([name, label]) => {
            const { amount, orders } = row[name];
            const isTrouble = name === 'inDoubt' && orders > 0;
            return element(
              'td',
              { class: isTrouble ? 'number trouble' : 'number', role: 'cell', 'data-label': label },
              orders === 0 ? '–' : amount,
              ' ',
              element('small', {}, orders === 0 ? '' : `(${orders})`),
            );
          }),
        ),
      ),
    );
  }
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
      const open = element('button', { type: 'button' }, job.order);
      open.addEventListener('click', () => void showOrder(job.order));
      return element(
        'tr',
        {},
        element('td', {}, clock(job.atMs)),
        element('td', {}, open),
        element('td', {}, job.operation),
        element('td', {}, wordOf(job.state)),
        element('td', {}, job.reason),
        element('td', { class: 'number' }, String(job.attempts)),
        element('td', { class: 'number' }, String(job.durationMs)),
      );
    }),
  );
}

async function showOrder(key) {
  byId('order').value = key;
  const place = byId('order-shown');
  const order = await ask(`/api/order?order=${encodeURIComponent(key)}`);
  if (!order)
    return place.replaceChildren(
      element(
        'p',
        {},
        'The ledger knows no such order. Write it as merchant/order id, such as acme-eu/INV-2026-000123; one that was never claimed is not there.',
      ),
    );
  const facts = [
    order.operation,
    order.amount,
    order.gatewayOrderId && `gateway order ${order.gatewayOrderId}`,
    order.batchId && `batch ${order.batchId}`,
  ];
  const lines = order.history.map(({ atMs, state, reason, attempts }) =>
    element(
      'li',
      {},
      element('time', {}, clock(atMs)),
      ` ${wordOf(state)}: ${reason}${attempts > 1 ? ` (attempt ${attempts})` : ''}`,
    ),
  );
  const why = order.failure ? [element('p', {}, `${order.failure.code}: ${order.failure.message}`)] : [];
  place.replaceChildren(
    element('p', {}, facts.filter(Boolean).join(' · ')),
    element('ol', {}, ...lines),
    element(
      'p',
      {},
      element('strong', {}, `now ${wordOf(order.state)}${order.final ? ', final' : ''}`),
      ` · revision ${order.revision}`,
    ),
    ...why,
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
    const { nowMs, money, queues, lanes, orders, books, seconds, recent, gateway } = await ask('/api/state');
    showMoney(money);
    showQueues(queues);
    showLanes(lanes, nowMs);
    showChart(seconds, books?.endings ?? orders, nowMs);
    byId('books').textContent = books
      ? `At the end of the run, as the terminal tells it: ${books.messages} messages, ${books.orders} orders, ${books.deadLetters} dead letters.`
      : 'Orders as the worker saw them last; the run is still under way.';
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

byId('order-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void showOrder(byId('order').value.trim());
});
byId('send-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const count = Number(byId('count').value);
  void act(() => ask('/api/jobs', { count }), `${count} payouts are on the queue`);
});
void showSignature();
void look();
