// What the log may say of an error.
import type { LogFields } from './log-fields.ts';

/** Never the message of an error: it may quote what it failed on. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { errorCode: error.code } : {};
  return { errorName: error.name, ...code };
}
