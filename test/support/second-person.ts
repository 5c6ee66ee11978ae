// Merchants for whose orders one person decides that they are not paid, and those for which two must, who always agree.
import type { SecondPerson } from '../../lib/payout/operate/decide.ts';

/** One person decides. */
export const oneIsEnough: SecondPerson = {
  demandedBy: async () => false,
  judge: async () => ({ kind: 'refused', why: 'no second person is asked for' }),
};

/** Two persons decide for the merchants that this names, and the second one agrees. */
export const agreeing = (demandedBy: (merchant: string) => boolean): SecondPerson => ({
  demandedBy: async (merchant) => demandedBy(merchant),
  judge: async () => ({
    kind: 'holds',
    approvedBy: 'grace',
    approval: {
      decider: 'arn:aws:iam::000000000000:user/ada',
      approver: 'arn:aws:iam::000000000000:user/grace',
      atMs: 1,
      revision: 1,
      mac: 'm',
    },
  }),
});
