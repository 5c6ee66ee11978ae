// Certificates of a private authority and of its members, good for a hundred years and for tests alone; their keys are
// worth nothing anywhere else.

/** A private authority that signed the others here. */
export const privateAuthorityPem = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUKgAwIBAgIUWMHjskh6lJpe3i0WWqxW1cYMFYswCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRcHJpdmF0ZSBhdXRob3JpdHkwIBcNMjYxMTIyMTcyMjU0WhgP
MjEyNjEwMjkxNzIyNTRaMBwxGjAYBgNVBAMMEXByaXZhdGUgYXV0aG9yaXR5MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEU4eqMItrwn/XENXur1OnNfAWNkl7BB8t
XSQFuPlkIulEK3eSlcAzfa0iCl22ur8/VeAKwfItoYX8tq6wH8C4XKNgMF4wHQYD
VR0OBBYEFIGnwEOrsrNLunAeqXz+0gepHgl/MB8GA1UdIwQYMBaAFIGnwEOrsrNL
unAeqXz+0gepHgl/MA8GA1UdEwEB/wQFMAMBAf8wCwYDVR0PBAQDAgIEMAoGCCqG
SM49BAMCA0gAMEUCIQDE9RqPfIhTSQgQ2HPflMHYmQ/fnjbPvmwFOPgAEfklOgIg
LXc4wzAutgqbWyFBuLbFUvRTiqiUysOvCPmgcmLaKzk=
-----END CERTIFICATE-----
`;

/** The certificate of the gateway, at 127.0.0.1. */
export const gatewayCertificate = {
  certificatePem: `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUJHux87YCphz9Vi3EZiEKRH0UGTMwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRcHJpdmF0ZSBhdXRob3JpdHkwIBcNMjYxMTIyMTcyMjU0WhgP
MjEyNjEwMjkxNzIyNTRaMBIxEDAOBgNVBAMMB2dhdGV3YXkwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQYmUp+JLouiSTcl7R9m2C+dn3lYdBfw/nghnPs4QGWEURL
MO7/bLuG0zVdsgRfCYGSIl7kZUVMOszIh3r5Eax/o14wXDAaBgNVHREEEzARhwR/
AAABgglsb2NhbGhvc3QwHQYDVR0OBBYEFJucs5zsUxrg4pFuTyz26c9Qz3eOMB8G
A1UdIwQYMBaAFIGnwEOrsrNLunAeqXz+0gepHgl/MAoGCCqGSM49BAMCA0gAMEUC
IEUfoq4iflQkEC5CKYjCrasp5s76heSON3JKhZYao9cFAiEApbk1y8DZGZKD6Hlj
GTCJsGh0vVdsooI3IauZ9ZDzPuo=
-----END CERTIFICATE-----
`,
  keyPem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgerXKJBL6mMrE6yAS
evftcAIeqs3eBOEMLnbay+gRTUWhRANCAAQYmUp+JLouiSTcl7R9m2C+dn3lYdBf
w/nghnPs4QGWEURLMO7/bLuG0zVdsgRfCYGSIl7kZUVMOszIh3r5Eax/
-----END PRIVATE KEY-----
`,
};

/** The certificate of the merchant, as the gateway knows it. */
export const clientCertificate = {
  certificatePem: `-----BEGIN CERTIFICATE-----
MIIBiTCCAS+gAwIBAgIUJHux87YCphz9Vi3EZiEKRH0UGTQwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRcHJpdmF0ZSBhdXRob3JpdHkwIBcNMjYxMTIyMTcyMjU0WhgP
MjEyNjEwMjkxNzIyNTRaMBIxEDAOBgNVBAMMB2FjbWUtZXUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQbidG2fqCjNvOMAhqqAaGpGHW3hVWY5OVgROhCy8bK/rx0
yl7KsdbTE7WvgBsXe2yFGudsDum3ObpPrZBfPgeto1cwVTATBgNVHSUEDDAKBggr
BgEFBQcDAjAdBgNVHQ4EFgQUyrcubYxFAhkpwrgfLaSBgGOfuRYwHwYDVR0jBBgw
FoAUgafAQ6uys0u6cB6pfP7SB6keCX8wCgYIKoZIzj0EAwIDSAAwRQIgDcGlcbOW
LtNsnTaaA8HsOTZQBVsbYcpTjal/uosNpNMCIQDig+GoHBjjyCMDmiOjm2o8HMfg
k4gPb6qljLw3NgDUzA==
-----END CERTIFICATE-----
`,
  keyPem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXVtXiBSdarOdyMxc
m6T9B8fcdFYB43AUhQenlnqTj8OhRANCAAQbidG2fqCjNvOMAhqqAaGpGHW3hVWY
5OVgROhCy8bK/rx0yl7KsdbTE7WvgBsXe2yFGudsDum3ObpPrZBfPget
-----END PRIVATE KEY-----
`,
};

/** A certificate of the same name, signed by an unknown authority. */
export const strangersCertificate = {
  certificatePem: `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIUXzLqqikJadr/KCQdZ9oi77yhlhQwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRYW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIyMTcyMjU0WhgP
MjEyNjEwMjkxNzIyNTRaMBIxEDAOBgNVBAMMB2FjbWUtZXUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAT//BUlqaSGDtEuxb9vkwL4dYNOlkRJN7xSttpA1yt4uWmt
oEg8TiRGE/2e/C893lKuGFqCcgul4ck0lW1F+Kwoo1cwVTATBgNVHSUEDDAKBggr
BgEFBQcDAjAdBgNVHQ4EFgQUdjhJaYPdkKHoXbLWtSj95+U+16cwHwYDVR0jBBgw
FoAUJhP7oPdba+seSRF8EG15L00RHFMwCgYIKoZIzj0EAwIDSQAwRgIhANcTKUNo
qSNzKNVacnUK43t+QljghbqR2r9SWU12C7DXAiEAgAfT+TutRPItbHYUs23ve/rv
IUT/G4Y9eDnJpagJWfE=
-----END CERTIFICATE-----
`,
  keyPem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgU768VfuogRyhgVNt
ZjXrytoddih+v/tKwzY2Yq4hQDKhRANCAAT//BUlqaSGDtEuxb9vkwL4dYNOlkRJ
N7xSttpA1yt4uWmtoEg8TiRGE/2e/C893lKuGFqCcgul4ck0lW1F+Kwo
-----END PRIVATE KEY-----
`,
};
