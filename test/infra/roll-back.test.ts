// Going back to an earlier version: which one, for all functions or for none.
import { describe, expect, it, vi } from 'vitest';
import { rollBack } from '../../lib/cli/versions/roll-back-program.ts';
import { notLive, planRollBack, type Published, releaseIn } from '../../lib/cli/versions/roll-back-plan.ts';

/** A function with these releases as versions 1, 2, …; the last is live, or the one that is named. */
function published(functionName: string, releases: readonly string[], live = releases.length): Published {
  return {
    functionName,
    live,
    latest: releases.at(-1),
    versions: releases.map((release, index) => ({ number: index + 1, release })),
  };
}
const both = (commits: readonly string[], live?: number) => [
  published('submit', commits, live),
  published('inquire', commits, live),
];

describe('rolling back', () => {
  it('goes to the release before, in every function', () => {
    expect(planRollBack(both(['a1', 'b2', 'c3']), undefined)).toEqual({
      kind: 'steps',
      release: 'b2',
      steps: [
        { functionName: 'submit', from: 3, to: 2 },
        { functionName: 'inquire', from: 3, to: 2 },
      ],
    });
  });

  it('goes one further back from where it stands, and forward to what is named', () => {
    expect(planRollBack(both(['a1', 'b2', 'c3'], 2), undefined)).toMatchObject({ release: 'a1' });
    expect(planRollBack(both(['a1', 'b2', 'c3'], 2), 'c')).toMatchObject({ release: 'c3' });
  });

  it('finishes what was broken off half way', () => {
    const half = [published('submit', ['a1', 'b2', 'c3'], 2), published('inquire', ['a1', 'b2', 'c3'])];
    expect(planRollBack(half, undefined)).toEqual({
      kind: 'steps',
      release: 'b2',
      steps: [{ functionName: 'inquire', from: 3, to: 2 }],
    });
  });

  it('ends a rollout that shifts traffic: nothing goes to the next release any more, in functions that have it already as well', () => {
    const shifting = { ...published('submit', ['a1', 'b2', 'c3'], 2), shiftsTo: 3 };
    expect(planRollBack([shifting, { ...shifting, functionName: 'inquire' }], undefined)).toEqual({
      kind: 'steps',
      release: 'b2',
      steps: [
        { functionName: 'submit', from: 3, to: 2 },
        { functionName: 'inquire', from: 3, to: 2 },
      ],
    });
    expect(planRollBack([shifting, published('inquire', ['a1', 'b2', 'c3'])], undefined)).toMatchObject({
      release: 'b2',
      steps: [
        { functionName: 'submit', from: 3, to: 2 },
        { functionName: 'inquire', from: 3, to: 2 },
      ],
    });
  });

  it('goes forward in one step where a part of the calls goes there already', () => {
    const shifting = { ...published('submit', ['a1', 'b2', 'c3'], 2), shiftsTo: 3 };
    expect(planRollBack([shifting], 'c3')).toMatchObject({ steps: [{ functionName: 'submit', from: 2, to: 3 }] });
  });

  it('takes of a release that was published twice the later version', () => {
    expect(planRollBack(both(['a1', 'b2', 'a1', 'c3']), 'a1')).toMatchObject({
      steps: [{ to: 3 }, { to: 3 }],
    });
  });

  it.each([
    ['nothing came before', both(['a1']), undefined, 'there is no version before the present one: there are a1'],
    ['nobody knows the release', both(['a1', 'b2']), 'dead', 'there is no version of release dead: there are b2, a1'],
    ['the name fits several', both(['ab1', 'ab2']), 'ab', 'ab begins the name of several: ab2, ab1'],
    ['there is no alias', [], undefined, 'the stack has no function behind an alias'],
    [
      'a function is newer than the release',
      [published('submit', ['a1', 'b2']), published('sweep', ['b2'])],
      'a1',
      'there is no version of release a1: there are b2',
    ],
  ])('changes nothing where %s', (_, functions, to, reason) => {
    expect(planRollBack(functions, to)).toEqual({ kind: 'impossible', reason: expect.stringContaining(reason) });
  });

  it('reads the release where the packager writes it', () => {
    expect(releaseIn('Queues of jobs to gateway (commit 0123456789ab, release 0123456789ab-4f)')).toBe(
      '0123456789ab-4f',
    );
    expect(releaseIn('Queues of jobs to gateway')).toBeUndefined();
  });

  it.each([
    ['is what was asked for', both(['a1', 'b2']), 'b2', []],
    [
      'is still the one before',
      both(['a1', 'b2'], 1),
      'b2',
      ['submit: live is version 1 of a1, asked for was b2', 'inquire: live is version 1 of a1, asked for was b2'],
    ],
    [
      'is half of two',
      [{ ...published('submit', ['a1', 'b2'], 1), shiftsTo: 2 }],
      'b2',
      ['submit: a part of the calls goes to version 2, the others to 1 of a1'],
    ],
    [
      'is not what the function was last changed to',
      [{ ...published('submit', ['a1', 'b2']), latest: 'c3' }],
      'b2',
      ['submit: $LATEST is c3, live b2'],
    ],
  ])('sees whether what is live %s', (_, functions, release, differences) => {
    expect(notLive(functions, release)).toEqual(differences);
  });
});

describe('the command', () => {
  /** Its exit code, what it said, and the versions that the aliases name afterwards. */
  async function run(functions: readonly Published[], to?: string) {
    const said: string[] = [];
    const hear = (text: unknown) => said.push(String(text)) > 0;
    vi.spyOn(process.stdout, 'write').mockImplementation(hear);
    vi.spyOn(process.stderr, 'write').mockImplementation(hear);
    const live = new Map(functions.map((it) => [it.functionName, it.live]));
    const code = await rollBack(
      { stack: 'payouts-prod', list: false, ...(to !== undefined && { to }) },
      {
        read: async () => functions,
        set: async (step) => void live.set(step.functionName, step.to),
      },
    );
    return { code, said: said.join(''), live: Object.fromEntries(live) };
  }

  it('is done, exit code 0, where every function runs the release before', async () => {
    expect(await run(both(['a1', 'b2']))).toEqual({
      code: 0,
      live: { submit: 1, inquire: 1 },
      said: 'submit: version 2 -> 1\ninquire: version 2 -> 1\npayouts-prod runs release a1 in all of 2 functions\n',
    });
  });

  it('is not done while a rollout shifts traffic: CodeDeploy would go on with it, and a script must not believe otherwise', async () => {
    const shifting = { ...published('submit', ['a1', 'b2'], 1), shiftsTo: 2 };
    const { code, said, live } = await run([shifting]);
    expect({ code, live }).toEqual({ code: 1, live: { submit: 1 } });
    expect(said).toContain(
      'not done: a rollout was shifting traffic, and CodeDeploy goes on with it until it is stopped',
    );
  });

  it('changes nothing where there is nothing to go back to', async () => {
    const { code, said, live } = await run(both(['a1']));
    expect({ code, live }).toEqual({ code: 1, live: { submit: 1, inquire: 1 } });
    expect(said).toContain('nothing is changed: there is no version before the present one');
  });
});
