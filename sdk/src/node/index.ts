export {
  type Credentials,
  credentialsPath,
  CredentialStore,
  type Environment,
  UnusableCredentials,
} from './credentials.ts';
