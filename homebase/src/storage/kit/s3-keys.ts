/** Owns the public development credentials of the S3 protocol, the same on every local stack. */

export const S3_ACCESS_KEY_ID = "625729a08b95bf1b7ff351a663f3a23c";
export const S3_ACCESS_KEY_SECRET = "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907";
export const S3_REGION = "local";
