// Going back to an earlier version: which one, for all functions or for none.
import { describe, expect, it } from 'vitest';
import { commitIn, planRollBack, type Published } from '../../lib/cli/versions/roll-back-plan.ts';

/** A function with these commits as versions 1, 2, …; the last is live, or the one that is named. */
function published(functionName: string, commits: readonly string[], live = commits.length): Published {
  return { functionName, live, versions: commits.map((commit, index) => ({ number: index + 1, commit })) };
}
const both = (commits: readonly string[], live?: number) => [
  published('submit', commits, live),
  published('inquire', commits, live),
];

describe('rolling back', () => {
  it('goes to the commit before, in every function', () => {
    expect(planRollBack(both(['a1', 'b2', 'c3']), undefined)).toEqual({
      kind: 'steps',
      commit: 'b2',
      steps: [
        { functionName: 'submit', from: 3, to: 2 },
        { functionName: 'inquire', from: 3, to: 2 },
      ],
    });
  });

  it('goes one further back from where it stands, and forward to what is named', () => {
    expect(planRollBack(both(['a1', 'b2', 'c3'], 2), undefined)).toMatchObject({ commit: 'a1' });
    expect(planRollBack(both(['a1', 'b2', 'c3'], 2), 'c')).toMatchObject({ commit: 'c3' });
  });

  it('finishes what was broken off half way', () => {
    const half = [published('submit', ['a1', 'b2', 'c3'], 2), published('inquire', ['a1', 'b2', 'c3'])];
    expect(planRollBack(half, undefined)).toEqual({
      kind: 'steps',
      commit: 'b2',
      steps: [{ functionName: 'inquire', from: 3, to: 2 }],
    });
  });

  it('takes of a commit that was deployed twice the later version', () => {
    expect(planRollBack(both(['a1', 'b2', 'a1', 'c3']), 'a1')).toMatchObject({
      steps: [{ to: 3 }, { to: 3 }],
    });
  });

  it.each([
    ['nothing came before', both(['a1']), undefined, 'there is no version before the present one: there are a1'],
    ['nobody knows the commit', both(['a1', 'b2']), 'dead', 'there is no version of commit dead: there are b2, a1'],
    ['the name fits several', both(['ab1', 'ab2']), 'ab', 'ab begins the name of several: ab2, ab1'],
    ['there is no alias', [], undefined, 'the stack has no function behind an alias'],
    [
      'a function is newer than the commit',
      [published('submit', ['a1', 'b2']), published('sweep', ['b2'])],
      'a1',
      'there is no version of commit a1: there are b2',
    ],
  ])('changes nothing where %s', (_, functions, to, reason) => {
    expect(planRollBack(functions, to)).toEqual({ kind: 'impossible', reason: expect.stringContaining(reason) });
  });

  it('reads the commit where the packager writes it', () => {
    expect(commitIn('Queues of jobs to gateway (commit 0123456789ab-dirty)')).toBe('0123456789ab-dirty');
    expect(commitIn('Queues of jobs to gateway')).toBeUndefined();
  });
});
