/**
 * Assigns partitions to members as evenly as possible (counts differ by at most one), moving as few partitions as that
 * allows. `before[partition]` is the previous owner; owners that are no longer among `members` lose their partitions.
 */
export function balance<Member>(
  before: readonly (Member | undefined)[],
  members: readonly Member[],
): readonly Member[] {
  if (members.length === 0) throw new Error('a topic without members has no owners');
  const least = Math.floor(before.length / members.length);
  let extra = before.length % members.length;
  const counts = new Map(members.map((member) => [member, 0]));

  const mayTakeOne = (member: Member | undefined): member is Member => {
    const count = member === undefined ? undefined : counts.get(member);
    if (count === undefined || count > least) return false;
    return count < least || extra > 0;
  };
  const take = (member: Member): Member => {
    const count = counts.get(member) ?? 0;
    if (count === least) extra -= 1;
    counts.set(member, count + 1);
    return member;
  };

  const kept = before.map((owner) => (mayTakeOne(owner) ? take(owner) : undefined));
  return kept.map((owner) => {
    if (owner !== undefined) return owner;
    const taker = members.reduce((best, member) =>
      (counts.get(member) ?? 0) < (counts.get(best) ?? 0) ? member : best,
    );
    return take(taker);
  });
}
