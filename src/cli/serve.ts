import { once } from 'node:events';
import { startServer } from '../server.ts';
import { type Command, wholeNumber } from './command.ts';
import { version } from './version.ts';

const HELP = `plimsoll serve: the webhook

Usage: plimsoll serve [--config FILE] [--drain SECONDS]

  --config FILE     the configuration (default: its defaults); a changed file is taken up without a restart
  --drain SECONDS   how long to go on answering after SIGTERM or SIGINT (default: 5)

Answers POST /validate and /mutate over TLS on listen.port (8443); /healthz, /readyz and /metrics over HTTP on
listen.healthPort (8080). Logs JSON lines on standard error.
`;

export const serve: Command = {
  help: HELP,
  options: { config: { type: 'string' }, drain: { type: 'string' } },
  positionals: 0,
  run: async (flags, { stderr, signal }) => {
    const drain = wholeNumber('drain', flags.text('drain'), 0, 600) ?? 5;
    const options = { configFile: flags.text('config'), version: version(), log: stderr, signal };
    try {
      const server = await startServer(options);
      if (!signal.aborted) await once(signal, 'abort');
      await server.stop(drain * 1000);
    } catch (error) {
      // It may have to stop while it still waits for certificates.
      if (!signal.aborted || error !== signal.reason) throw error;
    }
    return 0;
  },
};
