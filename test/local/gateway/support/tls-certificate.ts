// A self-signed certificate for 127.0.0.1, good for a hundred years and for tests alone.

/** The certificate, which is its own authority. */
export const testCertificatePem = `-----BEGIN CERTIFICATE-----
MIIBtTCCAVugAwIBAgIUO83228+F/Nh6dqqZ55vp/zE0kjIwCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWc2ltdWxhdGVkLWdhdGV3YXkudGVzdDAgFw0yNjExMjExOTI1
MDFaGA8yMTI2MTAyODE5MjUwMVowITEfMB0GA1UEAwwWc2ltdWxhdGVkLWdhdGV3
YXkudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABB1yo4lGSAP8x+ZUsdes
x+xCOQrs9y1WuFoHkv8S0ZUOwv20b+mjJaoSoFCUKnqHTP5GWsW7AtLOczkEXhXb
CD2jbzBtMB0GA1UdDgQWBBR9UQmEiBrBaEwyP4UPfK1kZXk+1TAfBgNVHSMEGDAW
gBR9UQmEiBrBaEwyP4UPfK1kZXk+1TAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQT
MBGHBH8AAAGCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNIADBFAiEAxVppWlSIK6w1
yRiG0jmdR6AbefTQtdqbwTFOpoENVlkCIEyzmcT260DHBWnq+90JilklJHenoH2d
3nlUYt5lJRGH
-----END CERTIFICATE-----
`;

/** Its private key, worth nothing anywhere else. */
export const testCertificateKeyPem = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+3GhFV0RNSFIy/s5
zmgDMJ/k5nUN/Z3ZruEnCMGRH1ShRANCAAQdcqOJRkgD/MfmVLHXrMfsQjkK7Pct
VrhaB5L/EtGVDsL9tG/poyWqEqBQlCp6h0z+RlrFuwLSznM5BF4V2wg9
-----END PRIVATE KEY-----
`;
