TABLE = {1: 'wrong'}
