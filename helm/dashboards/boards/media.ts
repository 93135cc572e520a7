import { lines, stack, type Dashboard } from '../panel.ts';
import { increased, lowestOf, perSecond, quantile, quantiles, sumOf } from '../queries.ts';

const RENDITION = 'crier_rendition_duration_seconds';
const FETCH = 'crier_file_fetch_duration_seconds';

/** Files: from their arrival to what a Network takes. */
export const MEDIA: Dashboard = {
  name: 'media',
  title: 'Crier: media',
  description: 'Files that arrive, are converted for Networks and stored, and whether they were ready in time.',
  rows: [
    {
      title: 'Ready in time',
      panels: [
        stack('Variants with files', 'ops', [perSecond('crier_media_preparations_total', { by: ['outcome'] })], {
          description: 'Variants whose files became ready, or can not be made ready, a second.',
          heading: 'Conversions fail',
        }),
        lines('Lateness of files', 's', quantiles('crier_media_lateness_seconds'), {
          description:
            'From the instant a scheduled Variant was due to when its files were ready; 0 where they were in time.',
          ...{ heading: 'Files are ready too late', limit: 60 },
        }),
        lines('Lateness by Network', 's', [quantile(0.95, 'crier_media_lateness_seconds', { by: ['network'] })], {
          description: 'The same, of 95 of 100 Variants of each Network. Networks that take long videos are later.',
          heading: 'Files are ready too late',
        }),
      ],
    },
    {
      title: 'Conversions',
      panels: [
        stack('Conversions that ended', 'ops', [perSecond(RENDITION, { by: ['outcome'] })], {
          description:
            'Conversions a second. reused: another Variant had the same target; refused: because of the file; unable: this machine lacks a tool, memory or disk.',
          heading: 'Conversions fail',
        }),
        lines(
          'Duration of a conversion',
          's',
          [quantile(0.95, RENDITION, { by: ['kind'], where: ['outcome="converted"'] })],
          {
            description: 'How long conversions of images and videos took, in 95 of 100 cases.',
          },
        ),
        lines('Wait for cores', 's', [quantile(0.95, 'crier_rendition_wait_seconds', { by: ['kind'] })], {
          description:
            'How long a conversion waited for its turn. Near the lateness of files: another process with the role media helps.',
          heading: 'Files are ready too late',
        }),
        lines('Conversions now', 'short', [sumOf('crier_conversions', { by: ['kind', 'state'] })], {
          description: 'Conversions that run, at most CRIER_CONVERSIONS_AT_ONCE in a process, and those that wait.',
          ...{ heading: 'Files are ready too late', width: 12 },
        }),
        lines(
          'Posts that wait to be begun',
          'short',
          [sumOf('crier_records_waiting', { where: ['consumer="media"'], legend: 'records' })],
          {
            description: 'Records that media processes took from the log and have not begun.',
            width: 12,
          },
        ),
      ],
    },
    {
      title: 'Files that arrive',
      panels: [
        lines('Uploads', 'ops', [perSecond('crier_uploads_received_total', { legend: 'files' })], {
          description: 'Files that arrived whole at their upload address, a second.',
        }),
        lines('Bytes uploaded', 'Bps', [perSecond('crier_upload_bytes_total', { legend: 'bytes' })], {
          description: 'Bytes of the files that arrived whole, a second.',
        }),
        stack('Fetches by address', 'ops', [perSecond(FETCH, { by: ['outcome'] })], {
          description:
            'Files that Posts name by address. changed: another file than was announced; unreachable: tried again up to four times.',
        }),
        lines('Duration of a fetch', 's', [quantile(0.95, FETCH, { by: ['outcome'] })], {
          description: 'How long fetching a file took, in 95 of 100 cases.',
        }),
        lines(
          'Turned away',
          'short',
          [
            increased('crier_pool_rejections_total', { by: ['pool', 'limit'] }),
            increased('crier_addresses_rate_limited_total', { legend: 'addresses over the rate' }),
          ],
          {
            description:
              'Work that was refused because a pool was full, by whose share was used up. all: the whole pool of the process.',
          },
        ),
        lines('Wait for a permit', 's', [quantile(0.95, 'crier_pool_wait_seconds', { by: ['pool'] })], {
          description:
            'How long work waited for a permit of a pool that Workspaces share, in 95 of 100 cases that waited.',
        }),
        lines('Permits of pools', 'short', [sumOf('crier_pool_permits', { by: ['pool', 'state'] })], {
          description: 'held: in use; free: not; wanted: work that waits. `crier admin tenants.top` says whose it is.',
        }),
        lines('Slow clients', 'short', [increased('crier_slow_clients_disconnected_total', { by: ['pool'] })], {
          description: 'Clients that were disconnected because they sent or took too few bytes a second.',
        }),
      ],
    },
    {
      title: 'Stored files',
      panels: [
        lines(
          'Removed',
          'short',
          [
            increased('crier_blobs_removed_total', { by: ['reason'] }),
            increased('crier_orphans_removed_total', { legend: 'orphans' }),
            increased('crier_unfinished_blobs_removed_total', { legend: 'unfinished' }),
          ],
          {
            description:
              'Stored files that were deleted, by reason. Many orphans: a process ends again and again in the middle of its work.',
          },
        ),
        lines('Stored bytes', 'bytes', [sumOf('crier_data_bytes', { by: ['part'] })], {
          description: 'Embedded: the database and the stored files. A cluster keeps both elsewhere.',
        }),
        lines('Free on the disk', 'bytes', [lowestOf('crier_data_free_bytes', { by: ['pod'] })], {
          description:
            'Bytes that are free on the disk of CRIER_DATA_DIR. With none left, writes are refused and nothing is lost.',
          heading: 'A disk is full',
        }),
      ],
    },
  ],
};
