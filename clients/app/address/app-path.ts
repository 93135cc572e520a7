/**
 * The path of the app on the public address, without a slash at the end: `/app`, or below a path of the installation's
 * own. Scripts stand below it in `assets`.
 */
export const APP_PATH = new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, '');

/** A path of the installation outside of the app, such as `/sign-in`. */
export function installationPath(path: string): string {
  return APP_PATH.replace(/\/app$/, '') + path;
}

/** The address of the sign-in page, which leads back to the page that is open now. */
export function signInPath(): string {
  const { pathname, search } = window.location;
  const here = pathname.slice(installationPath('').length) + search;
  return `${installationPath('/sign-in')}?${new URLSearchParams({ return_to: here }).toString()}`;
}
