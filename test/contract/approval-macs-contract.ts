// What the key of approvals must do, wherever it is: who may make MACs makes them, who may check them is told the truth, and
// a caller without the right makes none.
import { expect, it } from 'vitest';
import type { ApprovalCheck, ApprovalMaker } from '../../lib/batches/approval.ts';

/** One key, from both its sides; `lost` names a key that is not there. */
export interface ApprovalMacsUnderTest {
  readonly maker: ApprovalMaker;
  readonly check: ApprovalCheck;
  readonly lost: ApprovalCheck;
}

const text = JSON.stringify(['approval of a batch', 1, 'nov', 2, 1_800_000_000_000, 'ada', 'grace', 'root', 'blind']);

/** Runs the suite. */
export function approvalMacsContract(make: () => ApprovalMacsUnderTest): void {
  it('makes the same 256 bits for the same text, and checks them', async () => {
    const { maker, check } = make();
    const mac = await maker.macOf(text);
    expect(mac).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await maker.macOf(text)).toBe(mac);
    expect(await check.isMacOf(text, mac)).toBe(true);
  });

  it('says no to the MAC of another text, to a changed one, and to what can be none', async () => {
    const { maker, check } = make();
    const mac = await maker.macOf(text);
    expect(await check.isMacOf(`${text} `, mac)).toBe(false);
    expect(await check.isMacOf(text, `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`)).toBe(false);
    for (const none of ['', 'A', mac.slice(1), `${mac}A`, '=?']) expect(await check.isMacOf(text, none)).toBe(false);
  });

  it('says no to a text that is too long for a MAC: otherwise one that was written by hand would be asked about for ever', async () => {
    const { maker, check } = make();
    const mac = await maker.macOf(text);
    expect(await check.isMacOf(text.padEnd(4096), await maker.macOf(text.padEnd(4096)))).toBe(true);
    expect(await check.isMacOf(text.padEnd(4097), mac)).toBe(false);
  });

  it('says neither yes nor no where the key can not be asked', async () => {
    const { maker, lost } = make();
    await expect(lost.isMacOf(text, await maker.macOf(text))).rejects.toThrow(/nowhere/);
  });
}
