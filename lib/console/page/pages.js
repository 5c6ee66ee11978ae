// The pages: each names its question, and draws the answer.
import { Acts, Bulk } from './acts.js';
import * as parts from './parts.js';
import { ask, pick, store, tell } from './store.js';

const { Ago, Bar, Clock, Copied, Facts, Money, Section, State, Table } = parts;
const { clock, html, longDay, part, plural, span, sums, to } = parts;

/** Filter, order and place in a table are in the address: a view can be bookmarked, and the back button works. */
function set(params, isTyped) {
  const href = to(store.page, store.id, { ...store.params, from: '', ...params });
  if (!isTyped) return void (location.hash = href);
  history.replaceState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

const onSort = (sort) => set({ sort });
const isSorted = true;
const moneyColumn = { key: 'amount', label: 'Amount', number: true, cell: (it) => html`<${Money} ...${it} />` };
const sinceColumn = { key: 'since', label: 'Since', number: true, cell: (it) => html`<${Ago} ms=${it.sinceMs} />` };
const stateColumn = { key: 'state', label: 'State', cell: (it) => html`<${State} ...${it.state} />` };
const titleColumn = { key: 'what', label: 'Order', isMain: true, cell: (it) => it.title };
const merchantColumn = { key: 'merchant', label: 'Merchant' };
const reasonText = ({ reason, code = reason }) => html`<span title=${code}>${reason}</span>`;
const reasonColumn = { key: 'reason', label: 'Reason', cell: reasonText };

/** Kinds with their counts, a search, and whatever else narrows a table. The server filters: not all rows are here. */
function Filters({ kinds, param, placeholder, sum, children }) {
  const now = store.params[param] ?? '';
  const all = { id: '', label: 'All', count: kinds.reduce((total, it) => total + it.count, 0) };
  const tab = ({ id, label, count }) =>
    html`<a href=${to(store.page, store.id, { ...store.params, from: '', [param]: id })} aria-current=${now === id ? 'true' : undefined}
      >${label} <span>${count.toLocaleString('en-GB')}</span></a>`;
  const typed = ({ currentTarget }) => set({ q: currentTarget.value }, true);
  return html`<div class="filters">
    <nav class="tabs" aria-label="Filter">${[all, ...kinds].map(tab)}</nav>
    <span class="keyed"><input type="search" data-filter aria-label=${placeholder} placeholder=${placeholder} value=${store.params.q ?? ''} onInput=${typed} /></span>
    ${children}<p class="sum soft" role="status">${sum}</p>
  </div>`;
}

/** The way to the other rows of a table. */
function Pager({ from, rows, total, next }) {
  if (from === 0 && next === undefined) return undefined;
  const link = (at, text) => html`<a href=${to(store.page, store.id, { ...store.params, from: at })}>${text}</a>`;
  return html`<nav class="pager" aria-label="More rows">
    ${from > 0 && link(Math.max(0, from - 50), 'Previous')}
    <span class="soft">${`${from + 1} to ${from + rows.length} of ${total.toLocaleString('en-GB')}`}</span>
    ${next !== undefined && link(next, 'Next')}
  </nav>`;
}

const paceText = ({ ratePerSecond, limitPerSecond }) =>
  html`${ratePerSecond}<span class="soft">${limitPerSecond === undefined ? '/s, no limit' : ` of ${limitPerSecond}/s`}</span>`;
const laneColumns = [
  { key: 'what', label: 'Lane', isMain: true },
  { ...stateColumn, below: (it) => it.reason },
  { key: 'pace', label: 'Pace', number: true, cell: paceText },
  { key: 'waiting', label: 'Waiting', number: true, cell: (it) => it.waiting.toLocaleString('en-GB') },
  { key: 'oldest', label: 'Oldest', number: true, cell: (it) => html`<${Ago} ms=${it.oldestSinceMs} />` },
  { key: 'probe', label: 'Next probe', number: true, cell: (it) => html`<${Ago} ms=${it.nextProbeAtMs} isDue />` },
];

const kindText = (it) => html`<${State} tone=${it.tone} label=${it.kindLabel} />`;
const needColumns = [
  { key: 'kind', label: 'Kind', cell: kindText },
  { ...titleColumn, label: 'What' },
  merchantColumn,
  moneyColumn,
  reasonColumn,
  sinceColumn,
].map((it) => ({ ...it, isSorted }));

const batchColumns = [
  { key: 'what', label: 'Batch', isMain: true },
  stateColumn,
  { key: 'rows', label: 'Payouts', number: true, cell: (it) => it.rows.toLocaleString('en-GB') },
  { key: 'amount', label: 'Money', number: true, cell: (it) => sums(it.sums) },
  { key: 'by', label: 'Registered by' },
  { ...sinceColumn, label: 'Registered' },
];

/** The columns of a table that shares its page with others. */
const short = (columns, ...keys) =>
  columns.filter(({ key }) => keys.includes(key)).map((it) => ({ ...it, isSorted: false }));
const shortNeeds = short(needColumns, 'kind', 'what', 'amount', 'since').map((it) =>
  it.isMain ? { ...it, cell: (row) => row.what, below: (row) => row.reason } : it,
);
const shortLanes = short(laneColumns, 'what', 'state', 'waiting').map((it) => ({ ...it, below: undefined }));
const shortBatches = short(batchColumns, 'what', 'state', 'amount');
const seeAll = (page) => html`<a href=${to(page)} aria-label=${`See all: ${page}`}>See all</a>`;

function Tile({ tone, label, orders, meaning, sums: money }) {
  return html`<li class=${tone} title=${meaning}>
    <h2><${State} tone=${tone} label=${label} /></h2>
    ${money.map((it, at) => html`<p class=${at === 0 ? 'big' : 'next'}><${Money} ...${it} /></p>`)}
    <p class="soft">${plural(orders, 'order')}</p>
  </li>`;
}

const alarmText = ({ name, says = '', sinceMs }) =>
  html`<li><strong>${name}</strong>${` ${says} `}${sinceMs && html`<span class="soft">for <${Ago} ms=${sinceMs} /></span>`}</li>`;

const unread = ({ notRead, mayBeMore }) => html`${notRead.map((it) => part(it, undefined, `Not read: ${it.name}. `))}
  ${mayBeMore && html`<p class="trouble">There may be more: at most 1,000 of a kind are read.</p>`}`;

const nothingWaits = ({ notRead }) => (notRead.length > 0 ? 'Not all was read.' : 'Nothing waits for a person.');

const tiles = (it) =>
  html`${unread(it)}${
    it.tiles.length === 0
      ? it.notRead.length === 0 && html`<p class="empty card">No money is under way.</p>`
      : html`<ul class="tiles" aria-label="Open money">${it.tiles.map(Tile)}</ul>`
  }`;

const under = (name, columns, empty) => (rows) =>
  html`<${Table} name=${`${name} short`} columns=${columns} rows=${rows} empty=${empty} />`;

function today({ todo, lanes, batches, alarms }) {
  return html`<p class="lead soft">${longDay.format(Date.now())}</p>
    ${part(alarms, (list) => list.length > 0 && html`<ul class="alarms" aria-label="Alarms in force">${list.map(alarmText)}</ul>`, 'Alarms. ')}
    ${part(todo, tiles)}
    <div class="columns">
      <${Section} title=${`Needs a person${todo.kind === 'found' ? ` · ${todo.value.total}` : ''}`} link=${seeAll('needs')}>
        ${todo.kind === 'found' && under('needs', shortNeeds, nothingWaits(todo.value))(todo.value.rows)}
      <//>
      <div>
        <${Section} title="Batches under way" link=${seeAll('batches')}>${part(batches, under('batches', shortBatches, 'No batch is under way.'))}<//>
        <${Section} title="Lanes" link=${seeAll('lanes')}>${part(lanes, under('lanes', shortLanes, 'Nothing was ever sent.'))}<//>
      </div>
    </div>`;
}

const isNarrowed = () => ['q', 'kind', 'merchant', 'state', 'plan'].some((it) => store.params[it]);

function needs({ rows, kinds, merchants, sums: money, total, mayBeMore, notRead, ...place }) {
  const { merchant, sort = 'since' } = store.params;
  const choose = ({ currentTarget }) => set({ merchant: currentTarget.value });
  return html`<${Filters} kinds=${kinds} param="kind" placeholder="Filter by order, reason, amount"
      sum=${html`${plural(total, 'item')} · ${sums(money)}`}
    >
      <select aria-label="Merchant" value=${merchant ?? ''} onChange=${choose}>
        <option value="">All merchants</option>
        ${merchants.map((it) => html`<option value=${it}>${it}</option>`)}
      </select><//>
    ${unread({ notRead, mayBeMore })}
    <${Table} name="needs" columns=${needColumns} rows=${rows} pick=${pick} sort=${sort} onSort=${onSort}
      empty=${isNarrowed() ? 'Nothing matches the filter.' : nothingWaits({ notRead })}
    />
    <${Pager} rows=${rows} total=${total} ...${place} /><${Bulk} />`;
}

function Timeline({ timeline }) {
  return html`<ol class="timeline">
    ${timeline.map((it, at) => {
      const before = timeline[at - 1];
      return html`<li class=${it.state.tone}>
        <p class="fact"><span><strong>${it.state.label}</strong>${` ${it.title}`}${it.attempt > 1 && html` <span class="tag">attempt ${it.attempt}</span>`}</span>
          <span class="soft">${before && `+${span(it.atMs - before.atMs)} · `}<${Clock} ms=${it.atMs} /></span></p>
        ${it.by && html`<p class="soft">${it.by}: ${it.says}</p>`}
        ${it.evidence && html`<details><summary>Evidence</summary><${Facts} facts=${Object.entries(it.evidence)} /></details>`}
      </li>`;
    })}
  </ol>`;
}

const waitColumns = [
  { key: 'reason', label: 'Waits for' },
  moneyColumn,
  { ...sinceColumn, label: 'Waited' },
  { key: 'goes', label: 'Goes', number: true, cell: (it) => html`<${Ago} ms=${it.goAtMs} isDue />` },
];

const Head = ({ state, meaning, money }) =>
  html`<div class="head"><div><${State} ...${state} /><p class="soft">${meaning}</p></div><p class="big">${money}</p></div>`;
const sumOf = (it) => it.amount && html`<${Money} ...${it} />`;
const Commands = ({ commands }) =>
  html`<details><summary>Commands</summary>${commands.map((text) => html`<${Copied} text=${text} />`)}</details>`;
const waitText = ({ for: whom, untilMs, decidableAtMs = untilMs }) =>
  html`${whom}${decidableAtMs > Date.now() && html`, until <${Clock} ms=${decidableAtMs} />`}`;
const publishedText = ({ revision, atMs }) =>
  revision > 0 ? html`revision ${revision}, <${Clock} ms=${atMs} />` : 'nothing yet';

const linked = (page, id, text = id) => id && html`<a href=${to(page, id)}>${text}</a>`;

function order(it) {
  if (it === null) return html`<p class="empty">Write the order as merchant/order id.</p>`;
  const { published } = it;
  return html`<${Head} state=${it.state} meaning=${it.meaning} money=${sumOf(it)} />
    <${Facts} facts=${[
      ['Payee', it.payee],
      ['Merchant', it.merchant],
      ['Endpoint', it.endpoint && linked('lanes', `${it.merchant}/${it.endpoint}`, it.endpoint)],
      ['Operation', it.operation],
      ['Batch', linked('batches', it.batch)],
      ['Gateway order', it.gatewayOrderId],
      ['Attempts', it.attempts === undefined ? undefined : String(it.attempts)],
      ['Published', published && publishedText(published)],
      ['Waits for', it.waitsFor && waitText(it.waitsFor)],
    ]} />
    <div class="columns">
      <div>
        ${it.timeline.length > 0 && html`<${Section} title="Timeline"><${Timeline} timeline=${it.timeline} /><//>`}
        ${it.seen.length > 0 && html`<${Section} title="What was seen"><ul class="seen">${it.seen.map((one) => html`<li>${one}</li>`)}</ul><//>`}
        ${it.waits.length > 0 && html`<${Section} title="Waits in line"><${Table} name="waiting" columns=${waitColumns} rows=${it.waits} /><//>`}
        ${it.dead.length > 0 && html`<${Section} title="Dead letters"><${Table} name="letters short" columns=${short(letterColumns, 'what', 'reason', 'plan')} rows=${it.dead} /><//>`}
        ${it.notRead && html`<p class="trouble">Whether more of it waits, or is a dead letter, could not be read: ${it.notRead}</p>`}
        ${published?.isLate && html`<p class="trouble">Its result is not on the results queue yet.</p>`}
      </div>
      <${Section} title="What can be done" kind="side"><${Acts} can=${it.can} about=${it} />
        ${it.opens && html`<p class="sum soft">${it.opens}</p>`}
        <${Copied} text=${it.command} /><//>
    </div>`;
}

function batches({ rows, kinds, ...place }) {
  return html`<${Filters} kinds=${kinds} param="state" placeholder="Filter by batch, person, merchant" />
    <${Table} name="batches" columns=${batchColumns} rows=${rows} empty=${isNarrowed() ? 'Nothing matches the filter.' : 'No batch in the last seven days.'} />
    <${Pager} rows=${rows} ...${place} />`;
}

const payoutColumns = [
  { key: 'number', label: 'No.', number: true },
  titleColumn,
  moneyColumn,
  stateColumn,
  reasonColumn,
];
const lineColumns = [
  { key: 'label', label: 'State', cell: (it) => html`<${State} ...${it} />` },
  { key: 'count', label: 'Payouts', number: true },
  { key: 'amount', label: 'Money', number: true, cell: (it) => html`<${Money} ...${it.sum} />` },
  { key: 'meaning', label: 'Meaning', cell: (it) => html`<span class="soft">${it.meaning}</span>` },
];

/** An obstacle is known before the browser begins to load: a file that fails says nothing. */
async function load(format) {
  const file = document.querySelector('#report-file').value.trim();
  const query = new URLSearchParams({ batch: store.id, format, ...(file && { file }) });
  const found = await ask(`api/report?${query}&check=1`);
  if (found.kind !== 'found') return tell(`No report: ${found.why}`);
  Object.assign(document.createElement('a'), { href: `api/report?${query}`, download: found.value.name }).click();
  tell(`Your browser keeps ${found.value.name}. The same: ${found.value.command}`);
}

function batch(it) {
  if (it === null) return html`<p class="empty">There is no batch <span class="mono">${store.id}</span>.</p>`;
  const kinds = [...Map.groupBy(it.lines, ({ id }) => id).values()].map((same) => ({
    ...same[0],
    count: same.reduce((sum, { count }) => sum + count, 0),
  }));
  const meaning = `${it.ended.toLocaleString('en-GB')} of ${plural(it.rows, 'payout')} ended`;
  return html`<${Head} state=${it.state} meaning=${meaning} money=${sums(it.sums)} />
    <${Bar} total=${it.rows} parts=${kinds} label=${kinds.map(({ count, label }) => `${count} ${label}`).join(', ')} />
    <p class="sum soft">registered <${Clock} ms=${it.sinceMs} /> by ${it.by}${it.uploaded < it.rows && ` · ${it.uploaded} uploaded`}</p>
    <div class="columns">
      <${Section} title="Money by state"><${Table} name="lines" columns=${lineColumns}
          rows=${it.lines.map((line) => ({ ...line, id: `${line.id} ${line.sum?.currency}` }))}
          empty="No payout of it is uploaded yet."
      /><//>
      <${Section} title="What can be done" kind="side"><${Acts} can=${it.can} about=${it} />
        <div class="downloads">
          <label for="report-file">File of the batch on this machine, for pain.002</label><input id="report-file" autocomplete="off" />
          <button type="button" onClick=${() => load('csv')}>Report (CSV)</button><button type="button" onClick=${() => load('pain.002')}>pain.002</button>
        </div>
        <${Commands} ...${it} /><//>
    </div>
    <${Section} title="Payouts">
      <${Filters} kinds=${kinds} param="state" placeholder="Filter by order, amount, reason" />
      <${Table} name="payouts" columns=${payoutColumns} rows=${it.payouts.rows} empty="No payout matches the filter." />
      <${Pager} ...${it.payouts} /><//>`;
}

const lineOfLane = [{ key: 'what', label: 'Order', isMain: true }, ...waitColumns];

function lanes({ rows, opened, can }) {
  if (opened)
    return html`<${Head} state=${opened.state} meaning=${opened.reason} money="" />
      <${Facts} facts=${[
        ['Pace', `${opened.ratePerSecond}/s`],
        ['Limit', opened.limitPerSecond && `${opened.limitPerSecond}/s`],
        ['Waiting', opened.waiting.toLocaleString('en-GB')],
        ['Since', opened.sinceMs && html`<${Clock} ms=${opened.sinceMs} />`],
        ['Next probe', opened.nextProbeAtMs && html`<${Ago} ms=${opened.nextProbeAtMs} isDue />`],
      ]} />
      ${opened.remedy && html`<p class="sum">${opened.remedy}</p>`}
      <div class="columns">
        <${Section} title="Who waits"><${Table} name="waiting" columns=${lineOfLane} rows=${opened.line} empty="Nothing waits here."
          />${opened.mayBeMore && html`<p class="sum soft">The first 20 are shown.</p>`}<//>
        <${Section} title="What can be done" kind="side"><${Acts} can=${opened.can} about=${opened} /><//>
      </div>`;
  if (store.id) return html`<p class="empty">Nothing was ever sent at <span class="mono">${store.id}</span>.</p>`;
  return html`<${Table} name="lanes" columns=${laneColumns} rows=${rows} empty="Nothing was ever sent." />
    <${Section} title="For every merchant, or one"><${Acts} can=${can} about=${{ id: '', what: 'a merchant, or all' }} /><//>`;
}

const letterColumns = [
  { ...titleColumn, label: 'Message' },
  merchantColumn,
  moneyColumn,
  reasonColumn,
  { key: 'plan', label: 'Sent again', cell: (it) => html`<${State} ...${it.plan} />` },
  { key: 'redrives', label: 'Redriven', number: true },
  sinceColumn,
];

function letters({ rows, kinds, sums: money, total, ...place }) {
  return html`<${Filters} kinds=${kinds} param="plan" placeholder="Filter by order, reason, batch" sum=${html`${plural(total, 'letter')} · ${sums(money)}`} />
    <${Table} name="letters" columns=${letterColumns} rows=${rows} pick=${pick} empty=${isNarrowed() ? 'Nothing matches the filter.' : 'No dead letters.'} />
    <${Pager} rows=${rows} total=${total} ...${place} /><${Bulk} />`;
}

function letter(it) {
  if (it === null) return html`<p class="empty">This message is no longer among the dead letters.</p>`;
  return html`<${Head} state=${it.plan} meaning=${`Sent again: ${it.plan.says}`} money=${sumOf(it)} />
    <${Facts} facts=${[
      ['Order', it.orderHref ? html`<a href=${it.orderHref}>${it.what}</a>` : it.what],
      ['Merchant', it.merchant],
      ['Batch', linked('batches', it.batch)],
      ['Reason', `${it.code}: ${it.reason}`],
      ['Sent', clock(it.sinceMs)],
      ['Sent first as', it.originMessageId],
      ['Put there by', it.from === 'sqs' ? 'SQS' : 'the worker'],
      ['Redriven', String(it.redrives)],
    ]} />
    <div class="columns">
      <${Section} title="Body, without card data"><pre tabindex="0">${it.body}</pre><//>
      <${Section} title="What can be done" kind="side"><${Acts} can=${it.can} about=${it} />
        <${Commands} ...${it} /><//>
    </div>`;
}

/** The switches of the simulated gateway; it behaves so from the next request on. */
async function switchFaults(name) {
  const answer = await ask('api/faults', { faults: name });
  await store.refresh();
  tell(answer.kind === 'found' ? `The simulated gateway is now: ${name}` : answer.why);
}

function Signed({ parts, signature, login }) {
  const pairs = parts.filter(({ kind }) => /name|value/.test(kind));
  const fields = pairs.filter((_, at) => at % 2 === 0).map(({ means }, at) => [means, pairs[2 * at + 1]?.means]);
  const address = parts.find(({ kind }) => kind === 'address')?.means;
  return html`<p class="base">${parts.map(({ kind, text, means }) => html`<span class=${kind.replace(' ', '-')} title=${`${kind}: ${means}`}>${text}</span>`)}</p>
    <${Facts} facts=${[['Login', login], ['Address', address], ...fields, ['Signature', signature]]} />`;
}

const Request = ({ operation, orderId, endpointId, answer, atMs, ...signed }) =>
  html`<details><summary><strong>${operation}</strong>${` ${orderId} `}<span class="soft">at ${endpointId} · ${answer} · ${clock(atMs)}</span></summary><${Signed} ...${signed} /></details>`;

function gateway(it) {
  if (it === null) return html`<p class="empty">Only a local run has a simulated gateway.</p>`;
  const { isReadOnly } = store.session;
  const counts = Object.entries(it.counts).filter(([, count]) => count > 0);
  const choice = ({ name, description }) =>
    html`<label class="choice"><input type="radio" name="faults" value=${name} checked=${it.faults === name} onChange=${() => switchFaults(name)} />
      <span><strong>${name}</strong><br /><span class="soft">${description}</span></span></label>`;
  return html`<div class="columns">
    <${Section} title="Requests, the newest first" link=${html`<span class="soft">${counts.map(([name, count]) => `${count} ${name}`).join(' · ')}</span>`}>
      ${it.recent.length === 0 && html`<p class="empty">None yet.</p>`}
      <ul class="requests">${it.recent.map((one) => html`<li key=${one.id}><${Request} ...${one} /></li>`)}</ul><//>
    <${Section} title="Faults" kind="side">
      <fieldset class="faults" disabled=${isReadOnly}><legend class="hidden">Faults of the simulated gateway</legend>${it.choices.map(choice)}</fieldset><//>
  </div>`;
}

/** Each page: its name, its place in the navigation, its question, its drawing. */
export const pages = {
  today: { name: 'Today', key: 't', of: () => 'today', view: today },
  needs: { name: 'Needs a person', key: 'n', count: 'needs', of: () => 'needs', view: needs },
  batches: {
    name: 'Batches',
    key: 'b',
    of: (batch) => (batch ? ['batch', { batch }] : 'batches'),
    view: (it) => (store.id ? batch(it) : batches(it)),
  },
  lanes: { name: 'Lanes', key: 'l', count: 'lanes', of: (lane) => ['lanes', lane ? { lane } : {}], view: lanes },
  'dead-letters': {
    name: 'Dead letters',
    key: 'd',
    count: 'letters',
    of: (message) => (message ? ['letter', { message }] : 'letters'),
    view: (it) => (store.id ? letter(it) : letters(it)),
  },
  gateway: { name: 'Gateway', key: 'w', of: () => 'gateway', view: gateway, isLocal: true },
  orders: { name: 'Order', of: (key) => ['order', { order: key }], view: order, isHidden: true },
};
