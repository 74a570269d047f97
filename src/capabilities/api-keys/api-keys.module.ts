import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys.controller';
import { ChangeApiKeyHandler, NoteApiKeyUseHandler } from './api-keys.handlers';

@Module({ controllers: [ApiKeysController], providers: [ChangeApiKeyHandler, NoteApiKeyUseHandler] })
export class ApiKeysModule {}
