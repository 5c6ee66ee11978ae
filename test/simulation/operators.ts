// People at the operator's tool: they release held orders, cancel unsent ones, and know what the gateway's back
// office shows them (unless they err). Their tool may die half-way like any process.
import { cancelOrder, type Operated, type OperatePorts } from '../../lib/payout/operate/decide.ts';
import type { SeenOrders } from './seen.ts';
import type { Book, Booking } from './gateway-book.ts';
import type { Fault } from './fault-kinds.ts';
import { type CodeVersion, createProcess, type Process, type Surroundings } from './process.ts';
import type { Truth } from './truth.ts';
import { lookAndRelease, lookAt } from '../support/look-and-release.ts';

/** The surroundings of operators. */
export interface OperatorSurroundings extends Surroundings {
  readonly truth: Truth;
  readonly book: Book;
  readonly entries: SeenOrders;
  /** The version of the tool that the next person sits down at. */
  readonly version: () => CodeVersion;
  readonly portsOf: (process: Process) => OperatePorts;
  /** The gateway answers inquiries of this merchant. */
  readonly asksFirst: (merchant: string) => boolean;
  readonly witness: (fault: Fault) => void;
}

/** The acts of operators. */
export interface Operators {
  /** Releases a held order as the books say; an erring operator takes it for not paid. */
  release(order: string, errs?: boolean): void;
  /** Releases all held orders of these merchants; errs about each that the gateway itself can answer for. */
  releaseHeldOf(merchants: readonly string[]): void;
  cancel(it: { readonly merchant: string; readonly orderId: string }): void;
}

const by = 'anna';
const reason = 'seen in the back office';

/** Operators. */
export function createOperators(surroundings: OperatorSurroundings): Operators {
  const { truth, book, entries, portsOf, asksFirst, story, witness } = surroundings;
  let sittings = 0;

  function sitsDown(order: string, what: string, act: (ports: OperatePorts) => Promise<Operated>): void {
    const name = `operator-${(sittings += 1)}`;
    story.tell(name, order, () => what);
    const process = createProcess(
      { name, version: surroundings.version(), skewMs: 0 },
      { ...surroundings, onDeath: () => {} },
    );
    surroundings.onTurn();
    process.begins();
    act(portsOf(process)).then(
      ({ kind }) => story.tell(name, order, () => `hears: ${kind}`),
      () => {},
    );
  }

  /** Undefined while even the back office does not know how it ends. */
  function verdictOn(order: string): 'paid' | 'not-paid' | undefined {
    const booking = book.of(order).at(-1);
    if (!booking) return truth.mayStillCommit(order) ? undefined : 'not-paid';
    const end = booking.turns.at(-1);
    if (!end || end.atMs > surroundings.timeline.nowMs()) return undefined;
    return end.status === 'approved' ? 'paid' : 'not-paid';
  }

  function release(order: string, errs = false): void {
    const as = errs ? 'not-paid' : verdictOn(order);
    if (!as) return;
    if (errs && book.visible(order)) witness('an operator takes an order for not paid that the gateway has');
    const id = book.of(order).at(-1)?.gatewayOrderId;
    const gatewayOrderId = as === 'paid' && id !== undefined ? { gatewayOrderId: id } : {};
    sitsDown(order, `releases the order as ${as}`, async (ports) => {
      const says = (evenUnanswered: boolean) =>
        lookAndRelease(order, { as, by, reason, evenUnanswered, ...gatewayOrderId }, ports);
      const first = await says(false);
      if (first.kind !== 'asking') return first;
      await ports.clock.sleep(150_000);
      return says(!errs);
    });
  }

  /** True where the gateway itself knows better. */
  const canTell = (booking: Booking | undefined) =>
    booking !== undefined && !['error', 'filtered'].includes(book.statusNow(booking) ?? '');

  return {
    release,
    releaseHeldOf(merchants) {
      for (const { key, state, merchant } of entries.values()) {
        if (state === 'held' && merchants.includes(merchant))
          release(key, asksFirst(merchant) && canTell(book.visible(key)));
      }
    },
    cancel: (it) =>
      sitsDown(`${it.merchant}/${it.orderId}`, 'cancels the order', async (ports) => {
        const seen = await lookAt(`${it.merchant}/${it.orderId}`, ports);
        return cancelOrder({ ...it, by, reason, seen }, ports);
      }),
  };
}
