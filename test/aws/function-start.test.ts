// How a function starts: made and warmed while Lambda starts it, never failing or hanging by that, and what its first jobs
// will ask for begun for all at once.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { whileStarting } from '../../lib/aws/lambda-handler.ts';

const inLambda = () => vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'submit');

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe('a function', () => {
  const handle = (asked: string) => `${asked}, answered`;

  it('starts within a second although what it warms never ends', async () => {
    inLambda();
    vi.useFakeTimers();
    const starting = whileStarting(() => ({ handle, warmUp: () => new Promise(() => {}) }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await starting)('an event')).toBe('an event, answered');
  });

  it('starts with a wrong setting, which fails its events until it is right', async () => {
    inLambda();
    let setting = 'wrong';
    const handler = await whileStarting(() => {
      if (setting === 'wrong') throw new RangeError('the setting is wrong');
      return { handle, warmUp: async () => {} };
    });
    expect(() => handler('an event')).toThrow('the setting is wrong');
    setting = 'right';
    expect(handler('an event')).toBe('an event, answered');
  });

  it('that somebody else imports is made by its first event, and warms nothing', async () => {
    const done: string[] = [];
    const make = () => {
      done.push('made');
      return { handle, warmUp: async () => void done.push('warm') };
    };
    const handler = await whileStarting(make);
    expect(done).toEqual([]);
    handler('an event');
    handler('another');
    expect(done).toEqual(['made']);
  });
});
