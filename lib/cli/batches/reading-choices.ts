// The choices of the command line about a file, completed by its layout.
import type { ReadingChoices } from '../formats/bulk-rows.ts';
import { layoutOf, saveLayout } from '../formats/layouts.ts';
import type { FileReading } from './file-reading.ts';

/** How the file is read. Throws UsageError. */
export function choicesOf(reading: FileReading): ReadingChoices {
  const { merchant, operation, endpoint, map, ignore, ignoreOthers, format, sheet, layout } = reading;
  const known = layout === undefined ? undefined : layoutOf(layout);
  const decimal = reading.decimal ?? known?.decimal ?? 'dot';
  const leavesOthers = ignoreOthers || (known?.ignoreOthers ?? false);
  return {
    given: {
      ...(merchant !== undefined && { merchant }),
      ...(operation !== undefined && { operation }),
      ...(endpoint !== undefined && { endpointId: endpoint }),
    },
    maps: map,
    ignored: ignore,
    ignoreOthers: leavesOthers,
    decimal,
    ...(known && {
      layout: new Map([...Object.entries(known.map), ...known.ignore.map((name) => [name, ''] as const)]),
    }),
    ...(sheet !== undefined && { sheet }),
    ...(format && { format }),
  };
}

/** Keeps what was said of the columns, once they were understood by it, under a name; answers with the file. Throws UsageError. */
export function keepLayout(name: string, { maps, layout, ignored, ignoreOthers, decimal }: ReadingChoices): string {
  const all = [...(layout ?? []), ...maps, ...[...ignored].map((column) => [column, ''] as const)];
  return saveLayout(name, {
    map: Object.fromEntries(all.filter(([, field]) => field !== '')),
    ignore: all.filter(([, field]) => field === '').map(([column]) => column),
    ignoreOthers: ignoreOthers ?? false,
    decimal: decimal ?? 'dot',
  });
}
