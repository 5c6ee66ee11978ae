// The rooms of lib/ whose tests are quick enough to meet every fault, and where these tests are.

const kernelAndFeatures = [
  'oauth1',
  'gateway',
  'payout',
  'card-data',
  'batches',
  'dead-letters',
  'merchants',
  'restore',
  'reconcile',
] as const;

/** Folders of test/ by the room of lib/ that they are about. */
const testsByRoom: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(kernelAndFeatures.map((room) => [room, [...kernelAndFeatures, 'journey']])),
  aws: ['aws', 'contract'],
  client: ['client'],
};

/** The environment's word for the files that are mutated; unset: all of the kernel and the features. */
export const roomsVariable = 'MUTATED_FILES';

const roomOf = (file: string) => file.split('/')[1] ?? '';

/** Whether a fault in this file of lib/ is met by quick tests. */
export const isRoom = (file: string): boolean => roomOf(file) in testsByRoom;

/** The folders of test/ that faults in these files must not survive. */
export const testsOf = (files: readonly string[]): readonly string[] => [
  ...new Set((files.length > 0 ? files.map(roomOf) : kernelAndFeatures).flatMap((room) => testsByRoom[room] ?? [])),
];
