// Two of the signing libraries come without types; what is used of them.
declare module 'oauth-sign' {
  export function hmacsign(
    method: string,
    url: string,
    parameters: Readonly<Record<string, string>>,
    consumerSecret: string,
    tokenSecret?: string,
  ): string;
  export function rfc3986(text: string): string;
}
declare module 'oauth' {
  type Pair = readonly [name: string, value: string];
  /** The two steps that its own request methods take before they send. */
  export class OAuth {
    constructor(
      requestUrl: null,
      accessUrl: null,
      consumerKey: string,
      consumerSecret: string,
      version: string,
      authorizeCallback: null,
      signatureMethod: string,
    );
    _prepareParameters(
      token: null,
      tokenSecret: null,
      method: string,
      url: string,
      parameters: Readonly<Record<string, string>>,
    ): Pair[];
    _buildAuthorizationHeaders(parameters: Pair[]): string;
  }
}
