/**
 * Loaded into a child process before its program (`--import`): its wall clock is that of the machine until SIGUSR2
 * moves it by `offMs` of this module's address, and again that of the machine after the next SIGUSR2. `from=off` begins
 * with the moved one.
 */
const { searchParams } = new URL(import.meta.url);
const RealDate = Date;
let isOff = searchParams.get('from') === 'off';

const now = (): number => RealDate.now() + (isOff ? Number(searchParams.get('offMs')) : 0);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made) as Date,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
process.on('SIGUSR2', () => {
  isOff = !isOff;
});
