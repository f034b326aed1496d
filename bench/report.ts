// How long a report over many DataVolumes takes, beside JSON.parse of the same text, and what memory it needs.
// Each measurement is a process of its own: only its first run is what users get.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
