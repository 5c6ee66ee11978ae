// The page of the console. Asks its own server, draws what it hears; whatever comes from outside is only ever a text node.
const byId = (id) => document.getElementById(id);
let isReadOnly = true;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') made.addEventListener('click', value);
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((it) => it !== undefined));
  return made;
}

const paragraph = (text, kind = '') => element('p', { class: kind }, text);
const clock = (ms) => new Date(ms).toLocaleString('en-GB', { hour12: false });

function ago(ms) {
  const seconds = Math.max(0, Math.round((Date.now() - ms) / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3_600)} h ago`;
}

async function ask(path, body) {
  const options = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await fetch(path, options);
  return answer.json();
}

/** A part of the page, or why there is none of it. */
function show(id, part, draw) {
  const place = byId(id);
  if (part.kind === 'found') place.replaceChildren(...draw(part.value));
  else
    place.replaceChildren(
      paragraph(part.kind === 'not-allowed' ? `Not allowed. ${part.why}` : `Could not be read: ${part.why}`, 'trouble'),
    );
}

const list = (items) => element('ul', { class: 'cards' }, ...items);
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const tagged = (tag, text = '') => element('p', {}, element('span', { class: 'tag' }, tag), text);
const acts = (...buttons) => element('div', { class: 'acts' }, ...buttons);
/** A button that only shows something. */
const shows = (text, onclick) => element('button', { type: 'button', onclick }, text);
/** A button of an act, where this person may act. */
const button = (text, onclick) => (isReadOnly ? undefined : shows(text, onclick));
const shownOrder = (key) => shows('Show order', () => void showOrder(key));

function table(heads, rows) {
  const head = heads.map((name) => element('th', { scope: 'col' }, name));
  return element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
}

/** The first cell names the row. */
function row(name, ...cells) {
  return element('tr', {}, element('th', { scope: 'row' }, name), ...cells);
}

const cell = (text, kind = '') => element('td', { class: kind }, text);

/** Every command that there is, to be copied; none is run from here without a reason. */
function commandsOf(commands) {
  return element('details', {}, element('summary', {}, 'Commands'), ...commands.map((it) => element('pre', {}, it)));
}

const kinds = {
  held: 'Held: nobody knows whether its money moved',
  surprise: 'The gateway contradicts itself',
  'dead-letter': 'Dead letter',
  lane: 'Lane does not go',
  waiting: 'Never sent, and waits for a person',
  batch: 'Batch waits for a second person',
};

function questionCard({ kind, what, why, sinceMs, amount, currency, message, commands }) {
  const isOrder = kind !== 'dead-letter' && kind !== 'lane' && kind !== 'batch';
  return element(
    'li',
    { class: kind },
    element('h3', {}, what),
    tagged(kinds[kind]),
    amount === undefined ? undefined : paragraph(`${amount} ${currency}`, 'money'),
    paragraph(why),
    sinceMs === undefined ? undefined : paragraph(`since ${clock(sinceMs)}, ${ago(sinceMs)}`, 'soft'),
    acts(
      isOrder || (kind === 'dead-letter' && what.includes('/')) ? shownOrder(what) : undefined,
      kind === 'held' ? button('Decide…', () => decide(what)) : undefined,
      message === undefined
        ? undefined
        : button('Discard…', () => void openAct('discard', `Discard the dead letter of ${what}`, { message })),
      kind === 'batch' ? shows('Show batch', () => void showBatch(what)) : undefined,
    ),
    commandsOf(commands),
  );
}

function drawTodo({ questions, mayBeMore, notRead }) {
  const missing = notRead.map((it) => paragraph(`Not read: ${it}`, 'trouble'));
  if (questions.length === 0) return missing.length > 0 ? missing : [paragraph('Nothing waits for a person.')];
  const letters = questions.filter(({ kind }) => kind === 'dead-letter').length;
  return [
    paragraph(`${questions.length} waiting${mayBeMore ? ', and maybe more' : ''}`, 'soft'),
    letters === 0 ? '' : acts(button('Redrive dead letters…', () => void openAct('redrive', 'Redrive dead letters'))),
    ...missing,
    list(questions.map(questionCard)),
  ];
}

function drawMoney({ lines, mayBeMore }) {
  if (lines.length === 0) return [paragraph('No money is under way.')];
  const rows = lines.map(({ state, amount, orders }) =>
    row(state, cell(amount, 'number money'), cell(counted(orders, 'order'), 'number')),
  );
  return [
    table(['state', 'money', 'orders'], rows),
    mayBeMore ? paragraph('There is more: only the first 1,000 orders of a kind were read.', 'trouble') : '',
  ];
}

/** The length of a line, since when, and when it will be worked off; of ten thousand there may be more. */
function lineText({ class: name, rows, isMore, oldestSinceMs, endsAtMs }) {
  const one = rows === 1;
  const what =
    name === 'urgent' ? `${one ? 'job' : 'jobs'} without a batch` : one ? 'row of a batch' : 'rows of batches';
  return [
    `${rows}${isMore ? ' or more' : ''} ${what} waiting`,
    oldestSinceMs === undefined ? '' : `oldest since ${clock(oldestSinceMs)}`,
    endsAtMs === undefined ? '' : `done ${isMore ? 'not before' : 'about'} ${clock(endsAtMs)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

let shownLane;

/** The first messages in the lines of a lane: all that is known of them while their bodies are sealed. */
async function showLine({ merchant, endpointId }) {
  shownLane = { merchant, endpointId };
  const of = `merchant=${encodeURIComponent(merchant)}&endpoint=${encodeURIComponent(endpointId)}`;
  const part = await ask(`api/line?${of}`);
  show('line', part, ({ rows, mayBeMore }) => [
    element('h4', { id: 'line-shown', tabindex: '-1' }, `Who waits in the line of ${merchant} at ${endpointId}`),
    rows.length === 0 ? paragraph('Nobody waits there any more.') : list(rows.map(waitingCard)),
    mayBeMore ? paragraph(`These are the first ${rows.length}.`, 'soft') : '',
  ]);
  byId('line-shown')?.focus();
}

function waitingCard({ order, class: of, because, endedBy, since, goesFrom, amount, currency }) {
  const from = Date.parse(goesFrom) > Date.now() ? `, goes from ${clock(Date.parse(goesFrom))} on` : '';
  return element(
    'li',
    {},
    element('h5', {}, order),
    amount === undefined ? undefined : paragraph(`${amount} ${currency}`, 'money'),
    paragraph(`${because}: ended by ${endedBy}`),
    paragraph(
      `${of === 'urgent' ? 'job without a batch' : 'row of a batch'}, waits since ${clock(Date.parse(since))}${from}`,
      'soft',
    ),
    acts(shownOrder(order)),
  );
}

/** Only an order can be the probe: its time may be over while nobody waits. */
const probeText = ({ nextProbeAtMs, waiting }) =>
  nextProbeAtMs <= Date.now() && waiting === 0 ? 'with the next order' : clock(nextProbeAtMs);

function laneCard(lane) {
  const { merchant, endpointId, condition, reason, ratePerSecond, limitPerSecond, lines } = lane;
  const goes = condition === 'open' || condition === 'slowed';
  const about = { merchant, endpoint: endpointId };
  const name = `${merchant} at ${endpointId}`;
  const act = (act, label) => button(`${label} ${name}…`, () => void openAct(act, `${label} ${name}`, about));
  return element(
    'li',
    { class: goes ? 'open' : 'closed' },
    element('h3', {}, name),
    tagged(condition, ` ${reason}`),
    paragraph(`${ratePerSecond}/s${limitPerSecond === undefined ? '' : `, limit ${limitPerSecond}/s`}`, 'soft'),
    ...(lines.length === 0 ? [paragraph('nobody waits', 'soft')] : lines.map((it) => paragraph(lineText(it), 'soft'))),
    lane.sinceMs === undefined ? undefined : paragraph(`since ${clock(lane.sinceMs)}`, 'soft'),
    lane.nextProbeAtMs === undefined ? undefined : paragraph(`next probe ${probeText(lane)}`, 'soft'),
    lane.remedy === undefined ? undefined : paragraph(lane.remedy.replaceAll('`', '')),
    acts(
      goes ? act('pause', 'Pause') : act('resume', 'Resume'),
      condition === 'closed' ? act('probe', 'Probe') : undefined,
      lines.length === 0 ? undefined : shows(`Who waits at ${name}`, () => void showLine(lane)),
    ),
  );
}

function drawLanes(lanes) {
  if (lanes.length === 0) return [paragraph('There is no lane yet: nothing was ever sent.')];
  const goes = ({ condition }) => condition === 'open' || condition === 'slowed';
  return [list(lanes.toSorted((a, b) => Number(goes(a)) - Number(goes(b))).map(laneCard))];
}

function drawBatches(batches) {
  if (batches.length === 0) return [paragraph('No batch in the last seven days.')];
  return [
    list(
      batches.map(({ batchId, state, by, createdAtMs, rows, money }) =>
        element(
          'li',
          {},
          element('h3', {}, batchId),
          tagged(state, ` ${counted(rows, 'row')}`),
          paragraph(money.join(' · '), 'money'),
          paragraph(`registered ${clock(createdAtMs)} by ${by}`, 'soft'),
          acts(shows(`Show ${batchId}`, () => void showBatch(batchId))),
        ),
      ),
    ),
  ];
}

async function showBatch(batchId) {
  byId('batch-id').value = batchId;
  await begun;
  const part = await ask(`api/batch?batch=${encodeURIComponent(batchId)}`);
  show('batch', part, (it) => {
    if (!it) return [paragraph(`There is no batch ${batchId}.`, 'trouble')];
    const rows = it.lines.map(({ state, count, money = '', meaning }) =>
      row(state, cell(counted(count, 'row'), 'number'), cell(money, 'number money'), cell(meaning)),
    );
    const name = 'Cancel what was not sent';
    return [
      element('h3', { id: 'batch-shown', tabindex: '-1' }, `Batch ${it.batchId}: ${it.state}`),
      paragraph(`${it.ended} of ${it.rows} rows processed`),
      element('progress', { max: it.rows, value: it.ended, 'aria-label': 'rows processed' }),
      table(['state', 'rows', 'money', 'what it means'], rows),
      acts(
        element('a', { href: reportAt({ batch: it.batchId, format: 'csv' }), download: '' }, 'Report (CSV)'),
        shows('Report by its file, or pain.002…', () => reportByFile(it.batchId)),
        button(
          'Retry what failed…',
          () => void openAct('retry', `Retry what failed of ${it.batchId}`, { batch: it.batchId }),
        ),
        button(`${name}…`, () => void openAct('cancel', `${name}: ${it.batchId}`, { batch: it.batchId })),
      ),
      commandsOf(it.commands),
    ];
  });
  byId('batch-shown')?.focus();
}

async function showOrder(key) {
  byId('order-id').value = key;
  await begun;
  const part = await ask(`api/order?order=${encodeURIComponent(key)}`);
  show('order', part, (it) => {
    if (!it) {
      const hint = key.includes('/') ? '' : ' Write it as merchant/order id.';
      return [
        paragraph(`The ledger has no order ${key}: it was never claimed.${hint}`, 'trouble'),
        key.includes('/') ? acts(button('Cancel it beforehand…', () => cancelOrder(key))) : '',
      ];
    }
    if (it.unreadable !== undefined) return [paragraph(`${key}: ${it.unreadable}`, 'trouble')];
    const isUnsent = it.isUnclaimed || it.state === 'retryable' || it.state === 'failed';
    return [
      element('h3', { id: 'order-shown', tabindex: '-1' }, key),
      element('pre', {}, it.text),
      acts(
        it.isDecidable ? button('Decide…', () => decide(key)) : undefined,
        it.isDecidable ? button('Approve for who decides…', () => approve(key)) : undefined,
        isUnsent ? button('Cancel…', () => cancelOrder(key)) : undefined,
      ),
    ];
  });
  (byId('order-shown') ?? byId('order-title')).focus();
}

// Acts: the form of each comes as data. It says what it will do and by which command, and waits for a confirmation.
let readAct = () => undefined;
let opener;
/** What the preview has shown; the act is refused where that is no longer so. */
let seen;

function openDialog(title, read, ...parts) {
  opener = document.activeElement;
  readAct = read;
  byId('dialog-title').textContent = title;
  byId('dialog-fields').replaceChildren(...parts);
  unpreviewed();
  byId('dialog').showModal();
}

/** Opens the form of an act; what is given of it is not asked for. */
async function openAct(act, title, given = {}) {
  const part = await ask(`api/form?act=${act}`);
  if (part.kind !== 'found') return void (byId('told').textContent = `No form: ${part.why}`);
  const { fields, oneOf = [] } = part.value;
  const isGiven = ({ name }) => name in given || (oneOf.includes(name) && oneOf.some((one) => one in given));
  const asked = fields.filter((it) => !it.isSeen && !isGiven(it));
  const hasSeen = fields.some(({ isSeen }) => isSeen);
  openDialog(
    title,
    () => {
      const filledIn = asked.map((it) => [it.name, valueOf(it)]).filter(([, value]) => value !== '');
      return {
        act,
        given: { ...given, ...Object.fromEntries(filledIn), ...(hasSeen && seen !== undefined && { seen }) },
      };
    },
    ...asked.flatMap(drawn),
  );
}

const idOf = ({ name }) => `field-${name}`;
const boxesOf = ({ name }) => [...document.querySelectorAll(`input[name="${name}"]:checked`)].map(({ value }) => value);
const typed = (id) => byId(id).value.trim();

function valueOf(it) {
  if (it.choices || it.offers) return boxesOf(it).join('\n');
  if (it.isSwitch) return byId(idOf(it)).checked ? 'true' : '';
  return typed(idOf(it));
}

/** A field of a form, as its data say. */
function drawn(it) {
  const { name, label, choices, offers, isSwitch } = it;
  if (choices) return [fieldset(label, ...Object.entries(choices).map(([value, text]) => choice(name, value, text)))];
  if (offers) return [fieldset(label, ...offers.map((offer) => box(name, offer)))];
  const id = idOf(it);
  if (isSwitch) return [element('label', { class: 'line' }, element('input', { id, type: 'checkbox' }), ` ${label}`)];
  if (name !== 'reason') return field(id, label);
  return [element('label', { for: id }, label), element('textarea', { id, rows: '2' })];
}

function box(name, { value, text, isRefused }) {
  const input = element('input', { type: 'checkbox', name, value, ...(isRefused && { disabled: '' }) });
  return element('label', {}, input, ` ${text}`);
}

function unpreviewed() {
  seen = undefined;
  byId('do-it').disabled = true;
  byId('preview').replaceChildren();
}

/** A field of the dialog: its label, and the input. */
function field(id, text) {
  return [element('label', { for: id }, text), element('input', { id, autocomplete: 'off' })];
}

const fieldset = (legend, ...parts) => element('fieldset', {}, element('legend', {}, legend), ...parts);

/** One of several answers to a question. */
function choice(name, value, text) {
  return element('label', {}, element('input', { type: 'radio', name, value }), ` ${text}`);
}

const decide = (order) => void openAct('release', `Decide about ${order}`, { order });
const approve = (order) => void openAct('approve', `Approve that ${order} is not paid`, { order });
const cancelOrder = (order) => void openAct('cancel', `Cancel ${order}`, { order });

const filledOfFile = () => (typed('file') === '' ? {} : { file: typed('file') });

const reportAt = (it, path = 'api/report') => `${path}?${new URLSearchParams(it)}`;

/** A report that reads the file of the batch: beside its own columns, or as the answer to a pain.001. It does nothing, so it needs no reason. */
function reportByFile(batch) {
  openDialog(
    `Report of ${batch}`,
    () => ({ report: { batch, format: boxesOf({ name: 'format' })[0] ?? '', ...filledOfFile() } }),
    fieldset(
      'What the file is to be',
      choice('format', 'pain.002', 'pain.002: the answer to a pain.001, by its own ids'),
      choice('format', 'csv', 'CSV: the columns of the file, and beside them what became of each row'),
    ),
    ...field('file', 'File of the batch on this machine'),
  );
}

/** The download, as a preview names it for an act. */
async function reportPreview(of) {
  const part = await ask(reportAt(of, 'api/report-check'));
  if (part.kind !== 'found') return { why: part.why };
  const meaning = `Your browser keeps ${part.value.name}; nothing is changed.`;
  return { where: byId('stage').textContent, meaning, command: part.value.command };
}

function loadReport(of) {
  element('a', { href: reportAt(of), download: '' }).click();
  byId('dialog').close();
  byId('told').textContent = 'Done: your browser keeps the report.';
}

async function preview() {
  unpreviewed();
  const { report, ...act } = readAct();
  const part = report ? undefined : await ask('api/preview', act);
  const it = report ? await reportPreview(report) : part.kind === 'found' ? part.value : { why: part.why };
  byId('preview').replaceChildren(
    ...[
      it.why !== undefined && paragraph(`Not yet: ${it.why}`, 'trouble'),
      it.where !== undefined && element('p', {}, element('strong', {}, it.where)),
      it.meaning !== undefined && paragraph(it.meaning),
      it.text !== undefined && element('pre', {}, it.text),
      it.command !== undefined && element('pre', {}, it.command),
    ].filter((part) => part !== false),
  );
  ({ seen } = it);
  byId('do-it').disabled = it.why !== undefined;
}

async function doIt() {
  byId('do-it').disabled = true;
  const { report, ...act } = readAct();
  if (report) return loadReport(report);
  const it = await ask('api/act', act);
  const why = it.kind === 'found' ? (it.value.done ? undefined : it.value.text) : it.why;
  // What was typed is kept: it may be said again, or copied.
  if (why !== undefined) return void byId('preview').prepend(paragraph(`Not done: ${why}`, 'trouble'));
  byId('dialog').close();
  byId('told').replaceChildren(
    `Done: ${it.value.text}`,
    ...(it.value.word === undefined ? [] : [element('pre', {}, it.value.word)]),
  );
  await look(true);
  if (byId('line-shown')) await showLine(shownLane);
  if (byId('order-shown')) await showOrder(byId('order-id').value);
  if (byId('batch-shown')) await showBatch(byId('batch-id').value);
}

async function look(isFresh = false) {
  try {
    const it = await ask(`api/overview${isFresh ? '?fresh=1' : ''}`);
    isReadOnly = it.isReadOnly;
    byId('stage').textContent = it.stage;
    byId('read-only').hidden = !isReadOnly;
    show('todo', it.todo, drawTodo);
    show('alarms', it.alarms, (names) =>
      names.length === 0 ? [paragraph('None.')] : [list(names.map((name) => element('li', { class: 'held' }, name)))],
    );
    show('money', it.money, drawMoney);
    show('lanes', it.lanes, drawLanes);
    show('batches', it.batches, drawBatches);
    byId('merchant-acts').replaceChildren(
      ...[
        button('Pause a merchant…', () => void openAct('pause', 'Pause a merchant')),
        button('Resume a merchant…', () => void openAct('resume', 'Resume a merchant')),
      ].filter((each) => each !== undefined),
    );
    if (it.localPage !== undefined) {
      byId('local').hidden = false;
      const link = element('a', { href: it.localPage }, 'faults of the simulated gateway, and what is signed');
      byId('local').replaceChildren('This is a local run: ', link);
    }
    byId('live').textContent = `as of ${clock(Date.now())}`;
  } catch {
    byId('live').textContent = 'The console has ended, or does not answer.';
  }
}

byId('refresh').addEventListener('click', () => void look(true));
byId('batch-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void showBatch(byId('batch-id').value.trim());
});
byId('order-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void showOrder(byId('order-id').value.trim());
});
byId('act-form').addEventListener('submit', (event) => event.preventDefault());
byId('act-form').addEventListener('input', unpreviewed);
byId('show-preview').addEventListener('click', () => void preview());
byId('do-it').addEventListener('click', () => void doIt());
byId('leave').addEventListener('click', () => byId('dialog').close());
byId('dialog').addEventListener('close', () => opener?.isConnected && opener.focus());

const everyMs = 15_000;
// Before it nobody knows whether this person may act: what is asked for earlier is drawn after it.
const begun = look();
await begun;
setInterval(() => {
  // Whoever reads or decides is not disturbed: what is open, and what has the focus, stays as it is.
  const drawn = ['todo', 'alarms', 'money', 'lanes', 'merchant-acts', 'batches'];
  const isBusy = byId('dialog').open || drawn.some((id) => byId(id).contains(document.activeElement));
  if (!isBusy && !document.hidden) void look();
}, everyMs);
