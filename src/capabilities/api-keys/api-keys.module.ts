import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys.controller';
import { ChangeApiKeyHandler } from './api-keys.handlers';

@Module({ controllers: [ApiKeysController], providers: [ChangeApiKeyHandler] })
export class ApiKeysModule {}
