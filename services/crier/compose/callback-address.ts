/** Where a Network sends people back to after they signed in, below the address that clients reach the API at. */
export function callbackAddress(publicUrl: string, network: string): string {
  return `${publicUrl}/connect/${network}/callback`;
}
