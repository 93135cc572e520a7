interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
}

/**
 * The content security policy has browsers ask this before text becomes HTML. Only the empty text passes: React Aria
 * empties elements that way. Browsers without trusted types have the rest of the policy.
 */
export function forbidHtmlFromText(): void {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypesFactory };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text === '') return text;
      throw new TypeError('The app makes no HTML from text');
    },
  });
}
