// The workers of a kill run: real processes, each with a log of its own, killed and frozen at moments that the seed
// chooses, and replaced at once.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../lib/payout/ports.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';

/** What a crew is made of. */
export interface CrewOptions {
  readonly size: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logDirectory: string;
  readonly random: Pick<Random, 'chance'>;
  /** A frozen worker sleeps at least this long: longer than its lease. */
  readonly freezeMs: number;
  /** More of the worker's options. */
  readonly args: readonly string[];
}

/** Running workers. */
export interface Crew {
  /** Rejects when one ends by itself. */
  readonly broken: Promise<never>;
  started(): number;
  /** SIGKILL to one, most often one that is at work; another takes its place. */
  killOne(): Promise<void>;
  /** SIGSTOP to one, and another beside it; SIGCONT once its lease is over, and it goes on as if nothing had been. */
  freezeOne(): void;
  /** Waits until every frozen worker has thawed. */
  allThawed(): Promise<void>;
  /** SIGTERM to all, frozen ones too: they finish what they have. */
  stop(): Promise<void>;
}

type Member = WorkerProcess & { readonly logFile: string };

/** Beyond its first line a worker has written of jobs. */
const atWorkLogBytes = 250;

/** Starts the workers. */
export function startCrew({ size, environment, logDirectory, random, freezeMs, args: more }: CrewOptions): Crew {
  const members = new Set<Member>();
  const thawing = new Set<Promise<void>>();
  let count = 0;
  let fail: (error: unknown) => void = () => {};
  const broken = new Promise<never>((_, reject) => (fail = reject));
  broken.catch(() => {});

  function add(): void {
    count += 1;
    const logFile = join(logDirectory, `worker-${count}.log`);
    const args = ['--max-concurrency', '3', ...more];
    const member = { ...startWorkerProcess(environment, { logFile, args }), logFile };
    member.crashed.catch(fail);
    members.add(member);
  }

  async function takeSomeone(): Promise<Member> {
    // One in ten is hit whatever it does: while it starts, while it idles.
    const isAnyoneGood = random.chance() < 0.1;
    for (let tries = 0; ; tries += 1) {
      const atWork = [...members].filter(
        (it) => (statSync(it.logFile, { throwIfNoEntry: false })?.size ?? 0) > atWorkLogBytes,
      );
      const from = isAnyoneGood || tries > 200 ? [...members] : atWork;
      const chosen = from[Math.floor(random.chance() * from.length)];
      if (chosen) {
        // Out of the crew at once: it must not be chosen twice.
        members.delete(chosen);
        return chosen;
      }
      await sleep(20);
    }
  }

  for (let at = 0; at < size; at += 1) add();
  return {
    broken,
    started: () => count,
    async killOne() {
      const victim = await takeSomeone();
      const killed = victim.kill();
      add();
      await killed;
    },
    freezeOne() {
      const thaw = async () => {
        const sleeper = await takeSomeone();
        process.kill(sleeper.pid ?? 0, 'SIGSTOP');
        add();
        await sleep(freezeMs * (1 + random.chance()));
        process.kill(sleeper.pid ?? 0, 'SIGCONT');
        await sleeper.stop();
      };
      const thawed = thaw()
        .catch(fail)
        .finally(() => thawing.delete(thawed));
      thawing.add(thawed);
    },
    async allThawed() {
      await Promise.all(thawing);
    },
    async stop() {
      await Promise.all([...members].map((member) => member.stop()));
    },
  };
}
