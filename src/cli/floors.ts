import { loadSettings } from '../config/load.ts';
import { floorOf } from '../floor/curve.ts';
import { formatQuantity } from '../quantity/format.ts';
import { type Command, choice, wholeNumber } from './command.ts';
import { offlineDensity } from './world.ts';

const HELP = `plimsoll floors: the density, and the memory floors that follow from it

Usage: plimsoll floors [--density N] [-o table|json] [--config FILE]

  --density N        pods on the densest node (default: the configuration's)
  -o, --output WORD  table (default) or json
  --config FILE      the webhook's configuration (default: its defaults)
`;

const COMPARED = [30, 90, 110, 250];

export const floors: Command = {
  help: HELP,
  options: {
    density: { type: 'string' },
    output: { type: 'string', short: 'o' },
    config: { type: 'string' },
  },
  positionals: 0,
  run: async (flags, { stdout }) => {
    const output = choice('output', flags.text('output') ?? 'table', ['table', 'json']);
    const settings = await loadSettings(flags.text('config'));
    const density = offlineDensity(settings, wholeNumber('density', flags.text('density'), 0, 5000));
    const rows = [...settings.floorSettings].map(([target, { curve, action }]) => ({
      target,
      action,
      floor: floorOf(curve, density.pods),
      at: COMPARED.map((pods) => formatQuantity(floorOf(curve, pods))),
    }));
    if (output === 'json') {
      const floorsOfTargets = rows.map(({ target, action, floor }) => ({
        target,
        action,
        floor: formatQuantity(floor),
        floorBytes: Number(floor),
      }));
      stdout.write(`${JSON.stringify({ density, floors: floorsOfTargets })}\n`);
      return 0;
    }
    const table = [
      ['TARGET', 'ACTION', 'FLOOR', ...COMPARED.map((pods) => `AT ${pods}`)],
      ...rows.map(({ target, action, floor, at }) => [target, action, formatQuantity(floor), ...at]),
    ];
    const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
    stdout.write(`density: ${density.pods} pods on a node (${density.origin})\n\n`);
    for (const row of table)
      stdout.write(
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
      );
    return 0;
  },
};
