/** A kind of mistake that an audit of the code named, and the planted bugs that stand for it. */
export interface NamedKind {
  readonly kind: string;
  /** Names of planted bugs, at least one. */
  readonly bugs: readonly string[];
}

/**
 * What the audit planted before there were checks for it (300 worlds noticed none of most of these), and then what it
 * found to be wrong.
 */
export const NAMED_KINDS: readonly NamedKind[] = [
  {
    kind: 'Variants fail for no cause, as missed or rejected',
    bugs: [
      'Every second Variant that comes due fails as missed',
      'Every second Variant fails as missed in the publisher',
      'Every second Variant is rejected with nothing sent',
    ],
  },
  {
    kind: 'Only the watchdog publishes, ten minutes late',
    bugs: ['The job of a Variant is never sent, so that only its watchdog publishes it'],
  },
  { kind: 'The missed window is ignored', bugs: ['The missed window is ignored'] },
  { kind: 'A failure keeps the credit', bugs: ['A failure does not give the credit back'] },
  { kind: 'A cancel keeps the credit', bugs: ['A cancel does not give the credit back'] },
  { kind: 'An unknown outcome gives the credit back', bugs: ['What ends unconfirmed gives its credit back'] },
  { kind: 'A success leaves no evidence', bugs: ['Evidence of what was published is never written'] },
  {
    kind: 'The verdict is told before there is evidence',
    bugs: ['The verdict is reported before the evidence is written'],
  },
  { kind: 'A proof that comes late is ignored', bugs: ['The proof that comes after unconfirmed is ignored'] },
  {
    kind: 'A retry asks no question first',
    bugs: ['A retry after unconfirmed publishes without asking the Network'],
  },
  { kind: 'A sender has no deadline', bugs: ['A sender that was held up sends after its deadline'] },
  {
    kind: 'Nobody waits for the sender before',
    bugs: ['A successor does not wait until the sender can not be at it any more'],
  },
  {
    kind: 'A reconnected Channel publishes what its Disconnect ended',
    bugs: ['What a Disconnect ended is published once the Channel is connected again'],
  },
  { kind: 'A sweep ends too soon', bugs: ['A sweep ends after its first week'] },
  { kind: 'A week is not found', bugs: ['The row of the week in which a Post is due is never written'] },
  {
    kind: 'The watermark passes what has not fired',
    bugs: [
      'A watermark is moved beyond timers that have not fired, and the next owner trusts it',
      'The watermark passes minutes whose timers wait',
    ],
  },
  {
    kind: 'A timer has fired before its message is in the log',
    bugs: ['A timer counts as fired before its message is in the log'],
  },
  { kind: 'Offsets are acknowledged out of order', bugs: ['Offsets are acknowledged out of order'] },
  { kind: 'Timers fire in reverse order', bugs: ['Timers that are due together fire in reverse order'] },
  { kind: 'An answer comes before the compare-and-set', bugs: ['Answers go out before the compare-and-set'] },
  { kind: 'A month does not end', bugs: ['The month never ends'] },
  { kind: 'A revoked key works', bugs: ['A revoked key works'] },
  { kind: 'What is joined beyond the bound is lost', bugs: ['What is joined beyond a hundred Variants is lost'] },
  { kind: 'A turn that is cut loses its rest', bugs: ['A turn that is cut loses what it had no room for'] },
  { kind: 'A command is done after its life', bugs: ['Commands are carried out after their notAfter'] },
  { kind: 'The report of an attempt before is believed', bugs: ['The report of an old attempt is believed'] },
  { kind: 'A success is told as unknown', bugs: ['What was published is reported as unconfirmed'] },
  {
    kind: 'A clock that led: minutes count as read that it had read too soon',
    bugs: ['A clock that is put back is not noticed'],
  },
  {
    kind: 'A clock that led: the next owner begins in the future',
    bugs: [
      'A watermark that lies in the future is believed',
      'A watermark that moved after the clock had risen is believed once its minute has come',
    ],
  },
  {
    kind: 'A clock that led: minutes that are to come are dropped',
    bugs: ['Minutes are dropped a day behind the watermark, however far a clock leapt'],
  },
  {
    kind: 'A clock that led: what it fired too early is not set again, or not announced',
    bugs: ['A timer that fired too early is not set again', 'Timers that are near go through no topic'],
  },
  {
    kind: 'A timer of one id and instant has two bodies',
    bugs: ['A timer that is set again with another message has the id of the former one'],
  },
  { kind: 'A lost end of the log leaves Variants as they are', bugs: ['Nobody looks for work that the log lost'] },
  {
    kind: 'A lost end of the log leaves a sweep as it is',
    bugs: ['The step of a sweep that the log lost is not sent again'],
  },
  { kind: 'A lost watchdog ends its chain', bugs: ['A watchdog looks once, and not again'] },
  {
    kind: 'What is too large is found out by the store, which stops its Workspace',
    bugs: ['A Workspace grows until the store refuses its head'],
  },
  { kind: 'The head grows with all that ever was', bugs: ['Keys that were revoked stay in the state for ever'] },
  {
    kind: 'A Post with files goes live seconds early',
    bugs: ['A Variant whose files become ready within the skew before its instant is published at once'],
  },
  {
    kind: 'A timer that fires early is set for the same instant again and again',
    bugs: ['The timer of files that a leading clock fires is set again for the instant that it had'],
  },
  {
    kind: 'A clock that is put back in a pause lets a late send through',
    bugs: ['The deadline of a sender goes by the wall clock alone'],
  },
  {
    kind: 'An answer is thrown away as its evidence can not be written',
    bugs: ['What a Network answered is forgotten when its evidence can not be written'],
  },
  {
    kind: 'A retry of what may be live gives its credit back',
    bugs: ['A retry after unconfirmed that fails gives back the credit of what may be live'],
  },
  {
    kind: 'An outbox that is replayed after a month tells webhooks again',
    bugs: ['An outbox that is carried out after a month makes its deliveries anew'],
  },
];
