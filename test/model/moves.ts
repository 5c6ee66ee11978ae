// The ledger moves that the model allows, read out of its own MOVE lines: the table that traces are held against.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the model is. */
export const modelPath = join(import.meta.dirname, 'order.pml');

/** One allowed move of an order. */
export interface ModelMove {
  readonly action: string;
  readonly from: string;
  readonly to: string;
}

/** `inDoubt` of the model is `in-doubt` of the ledger. */
const asInLedger = (state: string) => state.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Every move of the model but those of its planted mistakes, each once. */
export function modelMoves(text = readFileSync(modelPath, 'utf8')): readonly ModelMove[] {
  const honest = text.split('\n').filter((line) => !/MISTAKE == \d+[^|)]*-> *MOVE|MOVE\(action, from, to\)/.test(line));
  const found = honest.flatMap((line) =>
    [...line.matchAll(/\bMOVE\((?<action>\w+), (?<from>\w+), (?<to>\w+)\)/g)].map(({ groups }) => ({
      action: groups?.['action'] ?? '',
      from: asInLedger(groups?.['from'] ?? ''),
      to: asInLedger(groups?.['to'] ?? ''),
    })),
  );
  return [...new Map(found.map((move) => [`${move.action} ${move.from} ${move.to}`, move])).values()];
}
