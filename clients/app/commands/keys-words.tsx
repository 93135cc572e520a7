import './keys-words.css';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Keys as they stand on the keyboard. */
export function KeysWords({ keys }: { readonly keys: string }) {
  return (
    <span className="keys-words">
      {keys.split(' ').map((name, index) => (
        <kbd key={index}>{name.replace('Mod+', IS_MAC ? '⌘ ' : 'Ctrl ').replace('Shift+', '')}</kbd>
      ))}
    </span>
  );
}
