// Loaded before the simulation (`node --import`): the file that the break in BREAK names is read with its line broken, in each thread.
import { registerHooks } from 'node:module';
import { breaks } from './breaks.ts';
import { withBreak } from './kernel-break.ts';

const planted = breaks.find(({ name }) => name === process.env['BREAK']);
if (!planted) throw new Error(`no break is called "${process.env['BREAK']}"`);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/lib/payout/order/${planted.file}`)) return loaded;
    return { ...loaded, source: withBreak(String(loaded.source), planted) };
  },
});
