/** The address that a Network sends people back to after they signed in, below the address of the API. */
export function callbackAddress(publicUrl: string, network: string): string {
  return `${publicUrl}/connect/${network}/callback`;
}
